// Content blocks: what tools and prompts give back, as JSON in its newest form. The codec
// (codec.hpp) takes out what an older revision does not know.
#pragma once

#include "src/json/value.hpp"

#include <string_view>

namespace sallyport::mcp::content {

json::Object text(std::string_view text);
// `bytes` are the raw bytes; they are encoded here.
json::Object image(std::string_view bytes, std::string_view mime_type);
json::Object audio(std::string_view bytes, std::string_view mime_type);
json::Object resource_link(std::string_view uri, std::string_view name);
// `contents` is an element of ResourceResult::contents.
json::Object embedded(json::Object contents);

// The contents of a resource: text, or raw bytes.
json::Object resource_text(std::string_view uri, std::string_view mime_type, std::string_view text);
json::Object resource_bytes(std::string_view uri, std::string_view mime_type,
                            std::string_view bytes);

}  // namespace sallyport::mcp::content
