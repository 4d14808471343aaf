// The body of a request as an app hands it over, turned into bytes.
#pragma once

#include "src/base/result.hpp"
#include "src/json/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::tools {

enum class BodyType { None, Json, Text, FormData, UrlEncoded, Base64 };

std::optional<BodyType> parse_body_type(std::string_view name) noexcept;

// A text is text, an object or array is JSON, null is none.
BodyType inferred_type(json::Value const& body) noexcept;

struct EncodedBody {
  std::string bytes;
  std::string content_type;  // where the caller has set none; empty: none
  // The caller's own type cannot stay: it names no boundary that fits.
  bool replaces_content_type{false};
};

// `content_type` is the caller's, empty when there is none. Fails with InvalidInput; the message
// names the place in the arguments.
Result<EncodedBody> encode_body(json::Value const& body, BodyType type,
                                std::string_view content_type);

// application/x-www-form-urlencoded (https://url.spec.whatwg.org/#urlencoded-serializing).
Result<std::string> url_encode(json::Value const& body);

// multipart/form-data (https://html.spec.whatwg.org/#multipart-form-data), before it is joined.
struct FormPart {
  std::string head;
  std::string content;
};
Result<std::vector<FormPart>> form_parts(json::Value const& body);

}  // namespace sallyport::tools
