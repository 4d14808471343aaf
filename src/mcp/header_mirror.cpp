#include "src/mcp/header_mirror.hpp"

#include "src/base/ascii.hpp"
#include "src/base/base64.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace sallyport::mcp {
namespace {

constexpr std::string_view kPrefix = "=?base64?";
constexpr std::string_view kSuffix = "?=";
constexpr std::size_t kMaxSchemaDepth = 32;

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool is_mirrorable(json::Object const& property) {
  auto const* type = json::find_string(property, "type");
  return type != nullptr && (*type == "string" || *type == "integer" || *type == "boolean");
}

Result<void> collect(json::Object const& schema, std::vector<std::string>& path,
                     std::vector<MirroredParameter>& found) {
  auto const* properties = json::find_object(schema, "properties");
  if (properties == nullptr || path.size() >= kMaxSchemaDepth) return {};
  for (auto const& [name, value] : *properties) {
    auto const* property = value.if_object();
    if (property == nullptr) continue;
    path.emplace_back(name);
    if (auto const* mark = property->if_contains("x-mcp-header")) {
      auto const* header = mark->if_string();
      if (header == nullptr || !is_token(json::view(*header)) || !is_mirrorable(*property)) {
        return fail(Errc::InvalidInput,
                    fmt::format("The property '{}' cannot be mirrored into a header.",
                                std::string_view{name}));
      }
      found.push_back({fmt::format("Mcp-Param-{}", json::view(*header)), path});
    }
    SP_CHECK(collect(*property, path, found));
    path.pop_back();
  }
  return {};
}

json::Value const* value_at(json::Object const& arguments, std::vector<std::string> const& path) {
  auto const* object = &arguments;
  json::Value const* value = nullptr;
  for (auto const& name : path) {
    if (object == nullptr) return nullptr;
    value = object->if_contains(name);
    if (value == nullptr) return nullptr;
    object = value->if_object();
  }
  return value;
}

template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number number{};
  auto const* const end = text.data() + text.size();
  auto const parsed = std::from_chars(text.data(), end, number);
  return parsed.ec == std::errc{} && parsed.ptr == end ? std::optional{number} : std::nullopt;
}

// Integers compare as numbers: "42.0" and "42" name the same one. SECURITY: as exact numbers, for
// beyond 2^53 several integers share a double.
bool same_number(json::Value const& value, std::string_view header) {
  if (value.is_int64()) {
    if (auto const exact = read_number<std::int64_t>(header)) return *exact == value.get_int64();
  }
  if (value.is_uint64()) {
    if (auto const exact = read_number<std::uint64_t>(header)) return *exact == value.get_uint64();
  }
  constexpr double kLargestExact = 9007199254740991.0;
  auto const number = read_number<double>(header);
  return number && std::abs(*number) <= kLargestExact && value.to_number<double>() == *number;
}

bool same_value(json::Value const& value, std::string_view header) {
  if (auto const* text = value.if_string()) return json::view(*text) == header;
  if (value.is_bool()) return header == (value.get_bool() ? "true" : "false");
  if (value.is_number()) return same_number(value, header);
  return false;
}

}  // namespace

Result<std::vector<MirroredParameter>> mirrored_parameters(json::Object const& input_schema) {
  std::vector<MirroredParameter> found;
  std::vector<std::string> path;
  SP_CHECK(collect(input_schema, path, found));
  std::vector<std::string> names;
  for (auto const& each : found) names.push_back(lowered(each.header));
  std::ranges::sort(names);
  if (auto const twice = std::ranges::adjacent_find(names); twice != names.end()) {
    return fail(Errc::InvalidInput, fmt::format("The header '{}' is used twice.", *twice));
  }
  return found;
}

std::optional<std::string> decode_header_value(std::string_view value) {
  if (value.size() < kPrefix.size() + kSuffix.size() || !value.starts_with(kPrefix) ||
      !value.ends_with(kSuffix)) {
    return std::string{value};
  }
  value.remove_prefix(kPrefix.size());
  value.remove_suffix(kSuffix.size());
  return base64::decode(value);
}

std::string encode_header_value(std::string_view value) {
  bool const is_plain = std::ranges::all_of(value, [](char c) { return c >= 0x20 && c < 0x7f; }) &&
                        !value.starts_with(' ') && !value.ends_with(' ');
  bool const looks_encoded = value.starts_with(kPrefix) && value.ends_with(kSuffix);
  if (is_plain && !looks_encoded) return std::string{value};
  return fmt::format("{}{}{}", kPrefix, base64::encode(value), kSuffix);
}

std::vector<std::pair<std::string, std::string>> parameter_headers(
    std::vector<MirroredParameter> const& mirrored, json::Object const& arguments) {
  std::vector<std::pair<std::string, std::string>> headers;
  for (auto const& each : mirrored) {
    auto const* const value = value_at(arguments, each.path);
    if (value == nullptr) continue;
    if (auto const* const text = value->if_string()) {
      headers.emplace_back(each.header, encode_header_value(json::view(*text)));
    } else if (value->is_bool() || value->is_number()) {
      headers.emplace_back(each.header, json::to_text(*value));
    }
  }
  return headers;
}

RpcError header_mismatch(std::string message) {
  return {code::kHeaderMismatch, std::move(message), nullptr, 400};
}

std::string_view mirrored_name_member(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  if (method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel") {
    return "taskId";
  }
  return {};
}

std::optional<RpcError> check_name_header(HeaderSource const& headers, std::string_view method,
                                          json::Object const& params) {
  auto const member = mirrored_name_member(method);
  if (member.empty()) return std::nullopt;
  auto const* const header = headers.find("Mcp-Name");
  if (header == nullptr) return header_mismatch("The header Mcp-Name is missing.");
  auto const decoded = decode_header_value(*header);
  if (!decoded) return header_mismatch("The header Mcp-Name is not valid base64.");
  auto const* const value = json::find_string(params, member);
  if (value == nullptr || json::view(*value) != *decoded) {
    return header_mismatch(fmt::format("The header Mcp-Name differs from 'params.{}'.", member));
  }
  return std::nullopt;
}

std::optional<RpcError> check_parameter_headers(HeaderSource const& headers,
                                                std::vector<MirroredParameter> const& mirrored,
                                                json::Object const& arguments) {
  for (auto const& [name, path] : mirrored) {
    auto const* const value = value_at(arguments, path);
    auto const* const header = headers.find(name);
    bool const absent = value == nullptr || value->is_null();
    if (header == nullptr && absent) continue;
    if (header == nullptr) return header_mismatch(fmt::format("The header {} is missing.", name));
    auto const decoded = decode_header_value(*header);
    if (!decoded) return header_mismatch(fmt::format("The header {} is not valid base64.", name));
    if (absent || !same_value(*value, *decoded)) {
      return header_mismatch(fmt::format("The header {} differs from the argument.", name));
    }
  }
  return std::nullopt;
}

}  // namespace sallyport::mcp
