#include "src/mcp/prompt.hpp"

#include <utility>

namespace sallyport::mcp {

json::Object prompt_message(std::string_view role, json::Object content) {
  return {{"role", role}, {"content", std::move(content)}};
}

}  // namespace sallyport::mcp
