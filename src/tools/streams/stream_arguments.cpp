#include "src/tools/streams/stream_arguments.hpp"

#include "src/base/assert.hpp"
#include "src/base/base64.hpp"
#include "src/json/parse.hpp"
#include "src/stream/handle.hpp"
#include "src/tools/http_request/app_response.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::tools {

Result<stream::ViewKey> view_key(RequestContext const& request, json::Object const& arguments) {
  auto view = string_argument(arguments, "view");
  if (!stream::is_view_name(view)) {
    return fail(Errc::InvalidInput,
                "view must be 16 to 64 characters of A-Z, a-z, 0-9, \"-\" and \"_\".");
  }
  return stream::ViewKey{.principal = request.principal.key(), .view = std::move(view)};
}

Result<std::uint64_t> whole_number(json::Value const& value, std::string_view name) {
  constexpr double kExact = 9007199254740992;  // 2^53
  if (value.is_int64() && value.get_int64() >= 0) {
    return static_cast<std::uint64_t>(value.get_int64());
  }
  if (value.is_uint64()) return value.get_uint64();
  if (value.is_double()) {
    auto const number = value.get_double();
    if (number >= 0 && number < kExact &&
        number == static_cast<double>(static_cast<std::uint64_t>(number))) {
      return static_cast<std::uint64_t>(number);
    }
  }
  return fail(Errc::InvalidInput, fmt::format("{} must be a whole number from 0 on.", name));
}

Result<std::uint64_t> number_argument(json::Object const& arguments, std::string_view name,
                                      std::optional<std::uint64_t> otherwise) {
  auto const* value = json::find(arguments, name);
  if (value != nullptr) return whole_number(*value, name);
  if (otherwise) return *otherwise;
  return fail(Errc::InvalidInput, fmt::format("{} is missing.", name));
}

Result<stream::PullRequest::Numbers> numbers_argument(json::Object const& arguments,
                                                      std::string_view name) {
  stream::PullRequest::Numbers numbers;
  auto const* object = json::find_object(arguments, name);
  if (object == nullptr) return numbers;
  for (auto const& [id, value] : *object) {
    SP_TRY(auto const number, whole_number(value, name));
    numbers.emplace_back(id, number);
  }
  return numbers;
}

std::string string_argument(json::Object const& arguments, std::string_view name) {
  auto const* text = json::find_string(arguments, name);
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

bool flag_argument(json::Object const& arguments, std::string_view name) {
  auto const* value = json::find(arguments, name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

Result<std::optional<Payload>> payload_argument(json::Object const& arguments) {
  auto const* text = json::find_string(arguments, "text");
  auto const* encoded = json::find_string(arguments, "b64");
  if (text != nullptr && encoded != nullptr) {
    return fail(Errc::InvalidInput, "There is b64 or text, not both.");
  }
  if (text != nullptr) return std::optional{Payload{true, std::string{json::view(*text)}}};
  if (encoded == nullptr) return std::optional<Payload>{};
  auto bytes = base64::decode(json::view(*encoded));
  if (!bytes) return fail(Errc::InvalidInput, "b64 is not base64 (RFC 4648, with padding).");
  return std::optional{Payload{false, std::move(*bytes)}};
}

json::Object stream_object(stream::Stream const& stream, bool takes_pushes) {
  json::Object about{{"id", stream.id()}, {"window", stream.window()}};
  if (takes_pushes) about["credit"] = stream.uplink_credit();
  return about;
}

mcp::ToolResult facts_result(json::Object facts) {
  mcp::ToolResult result;
  result.structured = std::move(facts);
  return result;
}

Result<mcp::ToolResult> failure_result(Error const& error) {
  if (error.code == Errc::Cancelled || error.code == Errc::Internal) return error;
  return to_result(error);
}

mcp::Tool stream_tool(std::string_view name, std::string_view title, std::string_view description,
                      std::string_view properties, std::vector<std::string> const& required) {
  auto members = json::parse(properties);
  SP_ASSERT(members.has_value() && members->is_object(), "our own schemas are JSON");
  auto& object = members->get_object();
  object["view"] = json::Object{{"type", "string"},
                                {"pattern", "^[A-Za-z0-9_-]{16,64}$"},
                                {"description", "The page that asks, as it named itself"}};
  json::Array names{"view"};
  for (auto const& each : required) names.emplace_back(each);
  mcp::Tool tool;
  tool.name = name;
  tool.title = title;
  tool.description = description;
  tool.input_schema = {
      {"type", "object"}, {"properties", std::move(object)}, {"required", std::move(names)}};
  tool.output_schema = json::Object{{"type", "object"}};
  tool.annotations = {{"readOnlyHint", false}, {"openWorldHint", true}};
  tool.meta = {{"ui", json::Object{{"visibility", json::Array{"app"}}}}};
  return tool;
}

}  // namespace sallyport::tools
