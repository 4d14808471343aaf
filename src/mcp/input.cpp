#include "src/mcp/call_context.hpp"
#include "src/mcp/content.hpp"

#include <utility>

namespace sallyport::mcp {

InputRequest elicit_form(std::string_view message, json::Object requested_schema) {
  return {InputKind::Elicitation, json::Object{{"mode", "form"},
                                               {"message", message},
                                               {"requestedSchema", std::move(requested_schema)}}};
}

InputRequest sample_text(std::string_view prompt, int max_tokens) {
  json::Array messages;
  messages.push_back(json::Object{{"role", "user"}, {"content", content::text(prompt)}});
  return {InputKind::Sampling,
          json::Object{{"messages", std::move(messages)}, {"maxTokens", max_tokens}}};
}

InputRequest list_roots() {
  return {InputKind::Roots, {}};
}

}  // namespace sallyport::mcp
