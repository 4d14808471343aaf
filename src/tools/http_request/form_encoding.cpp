// The two encodings of forms.
#include "src/base/base64.hpp"
#include "src/http/chars.hpp"
#include "src/json/write.hpp"
#include "src/tools/http_request/body_encoding.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace sallyport::tools {
namespace {

void append_url_encoded(std::string_view text, std::string& out) {
  for (char const c : text) {
    bool const plain = http::is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '*' || c == '-' || c == '.' || c == '_';
    if (plain) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
}

void append_pair(std::string_view name, std::string_view value, std::string& out) {
  if (!out.empty()) out += '&';
  append_url_encoded(name, out);
  out += '=';
  append_url_encoded(value, out);
}

Result<std::string> scalar(json::Value const& value, std::string_view where) {
  if (auto const* text = value.if_string()) return std::string{json::view(*text)};
  if (value.is_structured()) {
    return fail(Errc::InvalidInput,
                fmt::format("{} must be a string, a number or a truth value.", where));
  }
  return json::to_text(value);
}

Result<void> append_member(std::string_view name, json::Value const& value, std::string& out) {
  auto const where = fmt::format("[\"{}\"]", name);
  auto const* several = value.if_array();
  if (several == nullptr) {
    SP_TRY(auto text, scalar(value, where));
    append_pair(name, text, out);
    return {};
  }
  for (auto const& each : *several) {
    SP_TRY(auto text, scalar(each, where));
    append_pair(name, text, out);
  }
  return {};
}

// [name, value] or {name, value}.
Result<std::pair<std::string, std::string>> pair_of(json::Value const& entry, std::size_t index) {
  auto const where = fmt::format("[{}]", index);
  json::Value const* name = nullptr;
  json::Value const* value = nullptr;
  if (auto const* pair = entry.if_array(); pair != nullptr && pair->size() == 2) {
    name = &(*pair)[0];
    value = &(*pair)[1];
  } else if (auto const* object = entry.if_object()) {
    name = json::find(*object, "name");
    value = json::find(*object, "value");
  }
  if (name == nullptr || value == nullptr) {
    return fail(Errc::InvalidInput, where + " must be [name, value] or {name, value}.");
  }
  SP_TRY(auto name_text, scalar(*name, where));
  SP_TRY(auto value_text, scalar(*value, where));
  return std::pair{std::move(name_text), std::move(value_text)};
}

// Every line break becomes CR LF, as forms are sent.
std::string with_form_line_breaks(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    bool const pair = text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
    if (text[at] == '\r' || text[at] == '\n') {
      out += "\r\n";
    } else {
      out += text[at];
    }
    if (pair) ++at;
  }
  return out;
}

std::string quoted_name(std::string_view text) {
  std::string out{"\""};
  for (char const c : text) {
    if (c == '\n') {
      out += "%0A";
    } else if (c == '\r') {
      out += "%0D";
    } else if (c == '"') {
      out += "%22";
    } else {
      out += c;
    }
  }
  return out + '"';
}

struct FieldReader {
  json::Object const& field;
  std::string where;

  Result<std::string> text(std::string_view key) const {
    auto const* value = json::find(field, key);
    if (value == nullptr) {
      return fail(Errc::InvalidInput, fmt::format("{}.{} is missing.", where, key));
    }
    return scalar(*value, fmt::format("{}.{}", where, key));
  }

  // Bytes as base64 stand in `data`, or in `value` with `encoding: "base64"`.
  Result<std::optional<std::string>> bytes() const {
    auto const* encoding = json::find_string(field, "encoding");
    bool const flagged = encoding != nullptr && *encoding == "base64";
    if (encoding != nullptr && !flagged) {
      return fail(Errc::InvalidInput, where + ".encoding must be \"base64\" or be left out.");
    }
    bool const has_data = json::find(field, "data") != nullptr;
    if (!flagged && !has_data) return std::optional<std::string>{};
    SP_TRY(auto const encoded, text(has_data ? "data" : "value"));
    auto decoded = base64::decode(encoded);
    if (decoded) return std::optional{std::move(*decoded)};
    return fail(Errc::InvalidInput, fmt::format("{}.{} is not base64 (RFC 4648, with padding).",
                                                where, has_data ? "data" : "value"));
  }

  Result<FormPart> part() const {
    SP_TRY(auto const name, text("name"));
    SP_TRY(auto content, bytes());
    bool const is_file = json::find(field, "filename") != nullptr || content.has_value();
    std::string head =
        "Content-Disposition: form-data; name=" + quoted_name(with_form_line_breaks(name));
    if (is_file) {
      auto const* filename = json::find_string(field, "filename");
      head += "; filename=" + quoted_name(filename == nullptr ? "blob" : json::view(*filename));
    }
    head += "\r\n";
    auto const* type = json::find_string(field, "contentType");
    std::string_view const media =
        type != nullptr ? json::view(*type)
                        : std::string_view{is_file ? "application/octet-stream" : ""};
    if (!http::is_field_value(media)) {
      return fail(Errc::InvalidInput, where + ".contentType has a control character in it.");
    }
    if (!media.empty()) head += fmt::format("Content-Type: {}\r\n", media);
    if (content) return FormPart{std::move(head), std::move(*content)};
    SP_TRY(auto const value, text("value"));
    return FormPart{std::move(head), is_file ? value : with_form_line_breaks(value)};
  }
};

}  // namespace

Result<std::string> url_encode(json::Value const& body) {
  if (auto const* text = body.if_string()) return std::string{json::view(*text)};
  std::string out;
  if (auto const* object = body.if_object()) {
    for (auto const& member : *object) {
      SP_CHECK(append_member({member.key().data(), member.key().size()}, member.value(), out));
    }
    return out;
  }
  auto const* list = body.if_array();
  if (list == nullptr) {
    return fail(Errc::InvalidInput,
                "must be a string, an object or an array of [name, value] for bodyType "
                "\"urlEncoded\".");
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    SP_TRY(auto const pair, pair_of((*list)[i], i));
    append_pair(pair.first, pair.second, out);
  }
  return out;
}

Result<std::vector<FormPart>> form_parts(json::Value const& body) {
  auto const* list = body.if_array();
  if (list == nullptr) {
    return fail(Errc::InvalidInput,
                "must be an array of {name, value, filename?, contentType?} for bodyType "
                "\"formData\".");
  }
  std::vector<FormPart> parts;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto const* field = (*list)[i].if_object();
    if (field == nullptr) {
      return fail(Errc::InvalidInput, fmt::format("[{}] must be {{name, value, …}}.", i));
    }
    SP_TRY(auto part, (FieldReader{*field, fmt::format("[{}]", i)}.part()));
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace sallyport::tools
