// Members of other servers' definitions and results, as the protocol wants them: what has another
// type is left out. Strict clients refuse a whole list for one such member.
#pragma once

#include "src/json/value.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace sallyport::upstream::shapes {

// Whether the value, written, has at most about so many bytes.
bool fits(json::Value const& value, std::size_t bytes);

// Empty where it is no text.
std::string text(json::Object const& owner, std::string_view key);

// `icons`, those that can be shown: SECURITY: no script behind a URL.
json::Array icons(json::Object const& owner);

// `annotations` of a tool, and of resources and content.
json::Object tool_annotations(json::Object const& owner);
json::Object content_annotations(json::Object const& owner);

// Whether a schema's `type` is "object", or can be said to be.
bool may_be_object(json::Object const& schema);
// The schema with that type, its `properties` an object of objects and `required` an array of
// texts.
json::Object object_schema(json::Object schema);

}  // namespace sallyport::upstream::shapes
