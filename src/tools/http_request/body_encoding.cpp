#include "src/tools/http_request/body_encoding.hpp"

#include "src/base/base64.hpp"
#include "src/base/random_id.hpp"
#include "src/http/chars.hpp"
#include "src/http/message.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::tools {
namespace {

constexpr std::array<std::pair<std::string_view, BodyType>, 6> kTypes{
    {{"none", BodyType::None},
     {"json", BodyType::Json},
     {"text", BodyType::Text},
     {"formData", BodyType::FormData},
     {"urlEncoded", BodyType::UrlEncoded},
     {"base64", BodyType::Base64}}};

Result<std::string> decode_base64(std::string_view text) {
  if (auto bytes = base64::decode(text)) return std::move(*bytes);
  auto const good = [](char c) {
    return http::is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' ||
           c == '/' || c == '=';
  };
  auto const bad = std::ranges::find_if_not(text, good);
  if (bad != text.end()) {
    return fail(Errc::InvalidInput, fmt::format("is not base64: the character at offset {} does "
                                                "not belong to its alphabet (A-Z a-z 0-9 + /).",
                                                bad - text.begin()));
  }
  if (text.size() % 4 != 0) {
    return fail(Errc::InvalidInput,
                fmt::format("is not base64: its length {} is no multiple of 4; padding with = may "
                            "be missing.",
                            text.size()));
  }
  return fail(Errc::InvalidInput, "is not base64: its padding is misplaced.");
}

// The parameter `boundary` of the caller's own multipart/form-data; empty when there is none that
// can be used.
std::string boundary_in(std::string_view content_type) {
  constexpr std::string_view kType = "multipart/form-data";
  if (!http::equals_ignoring_case(content_type.substr(0, kType.size()), kType)) return {};
  auto rest = content_type.substr(kType.size());
  for (auto at = rest.find(';'); at != std::string_view::npos; at = rest.find(';')) {
    rest.remove_prefix(at + 1);
    auto const parameter = http::trimmed(rest.substr(0, rest.find(';')));
    auto const equals = parameter.find('=');
    if (equals == std::string_view::npos) continue;
    if (!http::equals_ignoring_case(parameter.substr(0, equals), "boundary")) continue;
    auto value = parameter.substr(equals + 1);
    if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"')) {
      value = value.substr(1, value.size() - 2);
    }
    if (http::is_token(value) && value.size() <= 70) return std::string{value};
  }
  return {};
}

bool occurs(std::string_view boundary, std::vector<FormPart> const& parts) {
  return std::ranges::any_of(parts, [&](FormPart const& part) {
    return part.head.find(boundary) != std::string::npos ||
           part.content.find(boundary) != std::string::npos;
  });
}

EncodedBody joined(std::vector<FormPart> const& parts, std::string_view content_type) {
  auto boundary = boundary_in(content_type);
  bool const of_caller = !boundary.empty() && !occurs(boundary, parts);
  if (!of_caller) {
    do {
      boundary = "----SallyportFormBoundary" + random_id(16);
    } while (occurs(boundary, parts));
  }
  std::string bytes;
  for (auto const& part : parts) {
    bytes += "--" + boundary + "\r\n" + part.head + "\r\n" + part.content + "\r\n";
  }
  bytes += "--" + boundary + "--\r\n";
  return {std::move(bytes), "multipart/form-data; boundary=" + boundary, !of_caller};
}

Result<std::string> text_of(json::Value const& body, std::string_view type) {
  if (auto const* text = body.if_string()) return std::string{json::view(*text)};
  return fail(Errc::InvalidInput, fmt::format("must be a string for bodyType \"{}\".", type));
}

Error at_body(Error const& error) {
  return fail(error.code, "body " + error.message);
}

Result<EncodedBody> encode(json::Value const& body, BodyType type, std::string_view content_type) {
  switch (type) {
    case BodyType::None: return EncodedBody{};
    case BodyType::Json: return EncodedBody{json::to_text(body), "application/json"};
    case BodyType::Text: {
      // A number or truth value under "text" is written as it looks.
      if (!body.is_string() && !body.is_structured() && !body.is_null()) {
        return EncodedBody{json::to_text(body), "text/plain;charset=UTF-8"};
      }
      SP_TRY(auto text, text_of(body, "text"));
      return EncodedBody{std::move(text), "text/plain;charset=UTF-8"};
    }
    case BodyType::UrlEncoded: {
      SP_TRY(auto text, url_encode(body));
      return EncodedBody{std::move(text), "application/x-www-form-urlencoded;charset=UTF-8"};
    }
    case BodyType::FormData: {
      SP_TRY(auto parts, form_parts(body));
      return joined(parts, content_type);
    }
    case BodyType::Base64: {
      SP_TRY(auto text, text_of(body, "base64"));
      SP_TRY(auto bytes, decode_base64(text));
      return EncodedBody{std::move(bytes), ""};
    }
  }
  return EncodedBody{};
}

}  // namespace

std::optional<BodyType> parse_body_type(std::string_view name) noexcept {
  auto const* found = std::ranges::find(kTypes, name, [](auto const& each) { return each.first; });
  return found == kTypes.end() ? std::nullopt : std::optional{found->second};
}

BodyType inferred_type(json::Value const& body) noexcept {
  if (body.is_null()) return BodyType::None;
  return body.is_structured() ? BodyType::Json : BodyType::Text;
}

Result<EncodedBody> encode_body(json::Value const& body, BodyType type,
                                std::string_view content_type) {
  auto encoded = encode(body, type, content_type);
  if (!encoded) return at_body(encoded.error());
  return encoded;
}

}  // namespace sallyport::tools
