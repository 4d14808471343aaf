#include "src/mcp/content.hpp"

#include "src/base/base64.hpp"

#include <utility>

namespace sallyport::mcp::content {
namespace {

json::Object encoded(std::string_view type, std::string_view bytes, std::string_view mime_type) {
  return {{"type", type}, {"data", base64::encode(bytes)}, {"mimeType", mime_type}};
}

}  // namespace

json::Object text(std::string_view text) {
  return {{"type", "text"}, {"text", text}};
}

json::Object image(std::string_view bytes, std::string_view mime_type) {
  return encoded("image", bytes, mime_type);
}

json::Object audio(std::string_view bytes, std::string_view mime_type) {
  return encoded("audio", bytes, mime_type);
}

json::Object resource_link(std::string_view uri, std::string_view name) {
  return {{"type", "resource_link"}, {"uri", uri}, {"name", name}};
}

json::Object embedded(json::Object contents) {
  return {{"type", "resource"}, {"resource", std::move(contents)}};
}

json::Object resource_text(std::string_view uri, std::string_view mime_type,
                           std::string_view text) {
  return {{"uri", uri}, {"mimeType", mime_type}, {"text", text}};
}

json::Object resource_bytes(std::string_view uri, std::string_view mime_type,
                            std::string_view bytes) {
  return {{"uri", uri}, {"mimeType", mime_type}, {"blob", base64::encode(bytes)}};
}

}  // namespace sallyport::mcp::content
