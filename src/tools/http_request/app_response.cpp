#include "src/tools/http_request/app_response.hpp"

#include "src/base/base64.hpp"
#include "src/content/utf8.hpp"
#include "src/http/cache_control.hpp"
#include "src/http/chars.hpp"
#include "src/json/parse.hpp"
#include "src/tools/header_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::tools {
namespace {

// From here on the text part of a result is a summary: the body is in the structured part, and
// nobody needs it twice.
constexpr std::size_t kLargestBodyInText = 64UL * 1024;

constexpr std::array<std::string_view, 9> kTextual{
    "application/json",       "application/xml",      "application/javascript",
    "application/ecmascript", "application/x-ndjson", "application/graphql",
    "application/yaml",       "application/toml",     "application/x-www-form-urlencoded"};

bool is_utf8(std::string_view bytes) {
  return content::valid_utf8_prefix(bytes) == bytes.size();
}

bool is_textual(http::Headers const& headers) {
  auto const* field = headers.find("content-type");
  if (field == nullptr) return true;
  auto const essence = lowered(http::trimmed(field->substr(0, field->find(';'))));
  return essence.starts_with("text/") || essence.ends_with("+json") || essence.ends_with("+xml") ||
         essence == "multipart/form-data" || std::ranges::count(kTextual, essence) > 0;
}

struct Shaped {
  json::Value body;
  std::string_view type;
};

Shaped shaped_body(AppResponse const& response) {
  static std::string const kNothing;
  auto const& bytes = response.http.body ? *response.http.body : kNothing;
  int const status = response.http.status;
  bool const null_body = status == 204 || status == 205 || status == 304;
  if (bytes.empty() || null_body || response.method == "HEAD") return {nullptr, "none"};
  if (response.response_type == ResponseType::Json) {
    if (auto value = json::parse(bytes)) return {std::move(*value), "json"};
  }
  bool const wants_text =
      response.response_type != ResponseType::Base64 &&
      (response.response_type != ResponseType::Auto || is_textual(response.http.headers));
  // Only bytes that are UTF-8 come out of a JSON string as they went in.
  if (wants_text && is_utf8(bytes)) return {json::Value(std::string_view{bytes}), "text"};
  return {json::Value(std::string_view{base64::encode(bytes)}), "base64"};
}

json::Object joined_headers(http::Headers const& headers) {
  json::Object record;
  for (auto const& field : headers) {
    auto const name = lowered(field.name);
    if (is_cookie_header(name) || record.contains(name)) continue;
    record[name] = as_utf8(http::combined_value(headers, name).value_or(""));
  }
  return record;
}

json::Array pairs_of(http::Headers const& headers) {
  json::Array pairs;
  for (auto const& field : headers) {
    if (is_cookie_header(field.name)) continue;
    pairs.push_back(json::Array{lowered(field.name), as_utf8(field.value)});
  }
  return pairs;
}

json::Array strings(std::vector<std::string> const& texts) {
  json::Array list;
  for (auto const& text : texts) list.emplace_back(text);
  return list;
}

}  // namespace

json::Object head_members(AppResponse const& response) {
  auto const& http = response.http;
  json::Object value{{"status", http.status},
                     {"statusText", as_utf8(http.reason)},
                     {"headers", joined_headers(http.headers)},
                     {"headerPairs", pairs_of(http.headers)},
                     {"url", response.url},
                     {"redirected", response.redirected},
                     {"ok", http.status >= 200 && http.status < 300},
                     {"type", response.opaque_redirect ? "opaqueredirect" : "basic"}};
  if (!response.dropped_headers.empty()) {
    value["droppedHeaders"] = strings(response.dropped_headers);
  }
  return value;
}

mcp::ToolResult stream_result(AppResponse const& response, json::Object stream) {
  auto value = head_members(response);
  value["body"] = nullptr;
  value["bodyType"] = "stream";
  value["streamId"] = stream.at("id");
  auto result =
      mcp::text_result(fmt::format("HTTP {}; the body comes as a stream.", response.http.status));
  value["stream"] = std::move(stream);
  result.structured = std::move(value);
  return result;
}

mcp::ToolResult to_result(AppResponse const& response) {
  auto [body, type] = shaped_body(response);
  auto const& http = response.http;
  auto value = head_members(response);
  value["body"] = std::move(body);
  value["bodyType"] = type;
  auto const size = http.body ? http.body->size() : 0;
  if (size <= kLargestBodyInText) return mcp::structured_result(std::move(value));
  auto result = mcp::text_result(fmt::format(
      "HTTP {} with a body of {} bytes, which is in structuredContent.", http.status, size));
  result.structured = std::move(value);
  return result;
}

mcp::ToolResult to_result(Error const& error, std::string_view call_id) {
  auto result = mcp::error_result("Error: " + error.message);
  json::Object about{{"code", to_string(error.code)}, {"message", error.message}};
  if (!call_id.empty()) about["callId"] = call_id;
  result.meta["sallyport/error"] = std::move(about);
  return result;
}

}  // namespace sallyport::tools
