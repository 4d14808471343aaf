#include "src/tools/fetch_arguments.hpp"

#include "src/json/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace sallyport::tools {
namespace {

json::Object property(std::string_view type, std::string_view description) {
  return {{"type", type}, {"description", description}};
}

json::Object with(json::Object schema, std::string_view keyword, json::Value value) {
  schema[keyword] = std::move(value);
  return schema;
}

json::Object format_property() {
  auto schema = property(
      "string",
      "How to give back an HTML page: auto = Markdown of its main content, without navigation, "
      "header and footer; markdown = Markdown of the whole page; text = plain text of the whole "
      "page; html or raw = its markup. JSON, XML and other texts always come as they are. A PDF "
      "comes as text, with raw as a file.");
  schema["enum"] = json::Array{"auto", "markdown", "text", "html", "raw"};
  schema["default"] = "auto";
  return schema;
}

json::Object headers_property() {
  auto schema = property("object", "HTTP headers to send, by name; each value is a string.");
  schema["additionalProperties"] = json::Object{{"type", "string"}};
  return schema;
}

json::Object timeout_property(FetchOptions const& options) {
  auto schema = property("integer",
                         "How long the whole fetch may take, redirects included, in milliseconds.");
  schema["minimum"] = 1;
  schema["maximum"] = options.max_timeout.count();
  schema["default"] = options.timeout.count();
  return schema;
}

std::string text_of(json::Object const& arguments, std::string_view name,
                    std::string_view otherwise = {}) {
  auto const* const found = json::find_string(arguments, name);
  return std::string{found == nullptr ? otherwise : json::view(*found)};
}

// The schema says that it is a whole number from 0 on; JSON may still have written it as 1e5.
std::size_t number_of(json::Object const& arguments, std::string_view name, std::size_t otherwise) {
  auto const* const found = json::find(arguments, name);
  if (found == nullptr) return otherwise;
  if (found->is_int64())
    return static_cast<std::size_t>(std::max<std::int64_t>(0, found->get_int64()));
  if (found->is_uint64()) return found->get_uint64();
  if (!found->is_double()) return otherwise;
  constexpr double kMost = 1e15;
  return static_cast<std::size_t>(std::clamp(found->get_double(), 0.0, kMost));
}

FetchFormat format_of(std::string_view name) noexcept {
  if (name == "markdown") return FetchFormat::Markdown;
  if (name == "text") return FetchFormat::Text;
  if (name == "html") return FetchFormat::Html;
  if (name == "raw") return FetchFormat::Raw;
  return FetchFormat::Auto;
}

// Some sites have Markdown for those who ask.
std::string_view accepted(FetchFormat format) noexcept {
  bool const wants_markup = format == FetchFormat::Html || format == FetchFormat::Raw;
  return wants_markup ? "text/html,application/xhtml+xml,*/*;q=0.8"
                      : "text/markdown,text/html;q=0.9,application/xhtml+xml;q=0.9,*/*;q=0.8";
}

std::string_view type_of(std::string_view body) {
  auto const parsed = json::parse(body);
  bool const is_json = parsed && (parsed->is_object() || parsed->is_array());
  return is_json ? "application/json" : "text/plain;charset=UTF-8";
}

http::Headers headers_of(json::Object const& arguments, FetchArguments const& read,
                         FetchOptions const& options) {
  http::Headers headers;
  if (auto const* const given = json::find_object(arguments, "headers")) {
    for (auto const& [name, value] : *given) {
      headers.add(std::string{std::string_view{name}}, std::string{json::view(value.get_string())});
    }
  }
  if (arguments.contains("user_agent")) {
    headers.set("User-Agent", text_of(arguments, "user_agent"));
  } else if (headers.find("User-Agent") == nullptr) {
    headers.add("User-Agent", options.user_agent);
  }
  if (headers.find("Accept") == nullptr) headers.add("Accept", std::string{accepted(read.format)});
  if (!read.body.empty() && headers.find("Content-Type") == nullptr) {
    headers.add("Content-Type", std::string{type_of(read.body)});
  }
  return headers;
}

}  // namespace

json::Object fetch_input_schema(FetchOptions const& options) {
  json::Object const url =
      with(property("string", "The address to fetch, absolute."), "format", "uri");
  auto method = with(property("string", "HTTP method to use."), "default", "GET");
  method["enum"] = json::Array{"GET", "POST"};
  auto max_length = property(
      "integer",
      "How many bytes of text to give back at most. A longer text is cut at the end of a line, and "
      "a note says with which start_index to go on. Does not apply to images and audio.");
  max_length["default"] = options.default_length;
  max_length["minimum"] = 1;
  auto start_index =
      property("integer",
               "Where in the text to begin, in bytes: the start_index that the note of a cut "
               "result names.");
  start_index["default"] = 0;
  start_index["minimum"] = 0;
  json::Object properties{
      {"url", url},
      {"method", std::move(method)},
      {"headers", headers_property()},
      {"body", property("string",
                        "Request body, with method POST. Sent as application/json if it is JSON "
                        "and as text/plain if not, unless headers has a Content-Type.")},
      {"format", format_property()},
      {"max_length", std::move(max_length)},
      {"start_index", std::move(start_index)},
      {"user_agent", with(property("string", "User agent string to use."), "default",
                          json::Value(options.user_agent))},
      {"timeout_ms", timeout_property(options)}};
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", json::Array{"url"}},
          {"additionalProperties", false}};
}

Result<FetchArguments> read_fetch_arguments(json::Object const& arguments,
                                            FetchOptions const& options) {
  FetchArguments read;
  read.url = text_of(arguments, "url");
  read.method = text_of(arguments, "method", "GET");
  read.body = text_of(arguments, "body");
  if (!read.body.empty() && read.method != "POST") {
    return fail(Errc::InvalidInput,
                fmt::format("A body goes with method POST, not with {}.", read.method));
  }
  read.format = format_of(text_of(arguments, "format"));
  read.max_length =
      std::max<std::size_t>(1, number_of(arguments, "max_length", options.default_length));
  read.start_index = number_of(arguments, "start_index", 0);
  auto const most = static_cast<std::size_t>(options.max_timeout.count());
  auto const usual = static_cast<std::size_t>(options.timeout.count());
  auto const timeout = std::min(number_of(arguments, "timeout_ms", usual), most);
  read.timeout = std::chrono::milliseconds{timeout};
  read.headers = headers_of(arguments, read, options);
  return read;
}

pipeline::OutboundRequest fetch_request(FetchArguments const& arguments,
                                        FetchOptions const& options) {
  pipeline::OutboundRequest request;
  request.method = arguments.method;
  request.url = arguments.url;
  request.headers = arguments.headers;
  request.body = arguments.body;
  request.max_redirects = options.max_redirects;
  request.schemes = options.schemes;
  request.response_bytes = options.max_bytes;
  request.timeout = arguments.timeout;
  request.robots = options.robots;
  request.refuse_event_streams = !options.event_streams;
  return request;
}

}  // namespace sallyport::tools
