#include "src/app/servers/tool_arguments.hpp"

#include "src/json/parse.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace sallyport::app::servers {
namespace {

json::Object const* property_in(json::Object const* schema, std::string_view name) {
  auto const* const all = schema == nullptr ? nullptr : json::find_object(*schema, "properties");
  return all == nullptr ? nullptr : json::find_object(*all, name);
}

enum class Reading { Text, Json, Either };

Reading reading_of(json::Object const* property) {
  auto const* const type = property == nullptr ? nullptr : json::find(*property, "type");
  if (type == nullptr) return Reading::Either;
  if (auto const* const one = type->if_string())
    return *one == "string" ? Reading::Text : Reading::Json;
  auto const* const several = type->if_array();
  bool const text_too =
      several == nullptr || std::ranges::any_of(*several, [](json::Value const& each) {
        return each.is_string() && each.get_string() == "string";
      });
  return text_too ? Reading::Either : Reading::Json;
}

Result<json::Value> value_of(std::string_view name, std::string_view text,
                             json::Object const* property) {
  auto const reading = reading_of(property);
  if (reading == Reading::Text) return json::Value(text);
  auto parsed = json::parse(text);
  if (parsed) return parsed;
  if (reading == Reading::Either) return json::Value(text);
  return fail(Errc::InvalidInput, fmt::format("--arg {}: the tool wants JSON here, not a text: {}",
                                              name, parsed.error().message));
}

Result<void> put_argument(std::string_view full_name, std::string_view name, std::string_view text,
                          json::Object const* schema, json::Object& into) {
  auto const dot = name.find('.');
  bool const nested =
      dot != std::string_view::npos && dot != 0 && property_in(schema, name) == nullptr;
  if (!nested) {
    SP_TRY(into[name], value_of(full_name, text, property_in(schema, name)));
    return {};
  }
  auto const outer = name.substr(0, dot);
  auto& member = into[outer];
  if (member.is_null()) member.emplace_object();
  if (!member.is_object()) {
    return fail(Errc::InvalidInput, fmt::format("--arg {}: {} is no object", full_name, outer));
  }
  return put_argument(full_name, name.substr(dot + 1), text, property_in(schema, outer),
                      member.get_object());
}

}  // namespace

Result<json::Object> tool_arguments(std::string const& whole, std::vector<std::string> const& pairs,
                                    json::Object const& input_schema) {
  json::Object arguments;
  if (!whole.empty()) {
    auto parsed = json::parse(whole);
    if (!parsed) return fail(Errc::InvalidInput, "--json: " + parsed.error().message);
    if (!parsed->is_object()) return fail(Errc::InvalidInput, "--json: must be an object");
    arguments = std::move(parsed->get_object());
  }
  for (std::string_view const pair : pairs) {
    auto const equals = pair.find('=');
    if (equals == 0 || equals == std::string_view::npos) {
      return fail(Errc::InvalidInput, fmt::format("--arg {}: write it as name=value", pair));
    }
    auto const name = pair.substr(0, equals);
    SP_CHECK(put_argument(name, name, pair.substr(equals + 1), &input_schema, arguments));
  }
  return arguments;
}

}  // namespace sallyport::app::servers
