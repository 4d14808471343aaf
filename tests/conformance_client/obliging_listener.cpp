#include "tests/conformance_client/obliging_listener.hpp"

namespace sallyport::conformance {
namespace {

// A field without a default gets the first thing that its type allows.
json::Value filled_in(json::Object const& property) {
  if (auto const* const given = json::find(property, "default")) return *given;
  auto const* const type = json::find_string(property, "type");
  if (type == nullptr) return nullptr;
  if (*type == "boolean") return true;
  if (*type == "integer" || *type == "number") return 1;
  if (auto const* const choices = json::find_array(property, "enum")) return choices->front();
  return "test";
}

json::Object form_of(json::Object const& params) {
  json::Object content;
  auto const* const schema = json::find_object(params, "requestedSchema");
  auto const* const properties =
      schema == nullptr ? nullptr : json::find_object(*schema, "properties");
  if (properties == nullptr) return content;
  for (auto const& [name, property] : *properties) {
    if (auto const* const described = property.if_object()) content[name] = filled_in(*described);
  }
  return content;
}

json::Object answer_to(mcp::client::Question const& question) {
  if (question.method == "elicitation/create") {
    return {{"action", "accept"}, {"content", form_of(question.params)}};
  }
  if (question.method == "roots/list") {
    return {{"roots", json::Array{json::Object{{"uri", "file:///tmp"}, {"name", "tmp"}}}}};
  }
  return {{"role", "assistant"},
          {"content", json::Object{{"type", "text"}, {"text", "A canned answer."}}},
          {"model", "none"},
          {"stopReason", "endTurn"}};
}

}  // namespace

Task<mcp::client::Answers> ObligingListener::answer(mcp::client::Inquiry inquiry) {
  mcp::client::Answers answers;
  for (auto const& [key, question] : inquiry.questions) answers[key] = answer_to(question);
  co_return answers;
}

json::Object capabilities() {
  return {{"roots", json::Object{}},
          {"sampling", json::Object{}},
          {"elicitation", json::Object{{"form", json::Object{}}, {"url", json::Object{}}}}};
}

}  // namespace sallyport::conformance
