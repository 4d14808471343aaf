#include "src/app/servers/form_field.hpp"

#include "src/http/chars.hpp"
#include "src/json/parse.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace sallyport::app::servers {
namespace {

using Kind = FormField::Kind;

std::string field_text(json::Object const& object, std::string_view key) {
  auto const* const text = json::find_string(object, key);
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

std::optional<double> bound(json::Object const& property, std::string_view key) {
  auto const* const value = json::find(property, key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

// `enum` with `enumNames`, or `oneOf`/`anyOf` of `const` and `title`.
std::vector<FormField::Option> options_of(json::Object const& property) {
  std::vector<FormField::Option> options;
  if (auto const* const values = json::find_array(property, "enum")) {
    auto const* const names = json::find_array(property, "enumNames");
    for (std::size_t i = 0; i < values->size(); ++i) {
      auto const* const value = (*values)[i].if_string();
      if (value == nullptr) continue;
      auto const* const title =
          names != nullptr && i < names->size() ? (*names)[i].if_string() : nullptr;
      options.push_back({std::string{json::view(*value)},
                         std::string{json::view(title == nullptr ? *value : *title)}});
    }
    return options;
  }
  auto const* titled = json::find_array(property, "oneOf");
  if (titled == nullptr) titled = json::find_array(property, "anyOf");
  if (titled == nullptr) return options;
  for (auto const& each : *titled) {
    auto const* const object = each.if_object();
    if (object == nullptr || json::find_string(*object, "const") == nullptr) continue;
    auto value = field_text(*object, "const");
    auto title = field_text(*object, "title");
    options.push_back({value, title.empty() ? value : title});
  }
  return options;
}

void read_kind(json::Object const& property, FormField& field) {
  auto const type = field_text(property, "type");
  field.options = options_of(property);
  if (type == "array") {
    field.kind = Kind::Choices;
    if (auto const* const items = json::find_object(property, "items")) {
      field.options = options_of(*items);
    }
    field.minimum = bound(property, "minItems");
    field.maximum = bound(property, "maxItems");
  } else if (!field.options.empty()) {
    field.kind = Kind::Choice;
  } else if (type == "boolean") {
    field.kind = Kind::Switch;
  } else if (type == "number" || type == "integer") {
    field.kind = type == "number" ? Kind::Number : Kind::Integer;
    field.minimum = bound(property, "minimum");
    field.maximum = bound(property, "maximum");
  } else {
    field.minimum = bound(property, "minLength");
    field.maximum = bound(property, "maxLength");
  }
}

Error wanted(std::string text) {
  return fail(Errc::InvalidInput, std::move(text));
}

Result<void> check_bounds(FormField const& field, double value, std::string_view what) {
  if (field.minimum && value < *field.minimum) {
    return wanted(fmt::format("Give at least {}{}.", *field.minimum, what));
  }
  if (field.maximum && value > *field.maximum) {
    return wanted(fmt::format("Give at most {}{}.", *field.maximum, what));
  }
  return {};
}

Result<std::string> read_choice_of(FormField const& field, std::string_view text) {
  for (std::size_t i = 0; i < field.options.size(); ++i) {
    auto const& [value, title] = field.options[i];
    if (text == value || text == title || text == fmt::format("{}", i + 1)) return value;
  }
  return wanted(fmt::format("Give the number of one of the {} choices.", field.options.size()));
}

Result<json::Value> read_choices(FormField const& field, std::string_view text) {
  json::Array chosen;
  while (!text.empty()) {
    auto const comma = std::min(text.find(','), text.size());
    SP_TRY(auto one, read_choice_of(field, http::trimmed(text.substr(0, comma))));
    chosen.push_back(json::Value(one));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  SP_CHECK(check_bounds(field, static_cast<double>(chosen.size()), " of them"));
  return json::Value(std::move(chosen));
}

Result<json::Value> read_number(FormField const& field, std::string_view text) {
  auto number = json::parse(text);
  if (!number || !number->is_number()) return wanted("Give a number.");
  auto const value = number->to_number<double>();
  if (field.kind == Kind::Integer && (value != std::floor(value) || std::abs(value) > 9e15)) {
    return wanted("Give a whole number.");
  }
  SP_CHECK(check_bounds(field, value, ""));
  if (field.kind == Kind::Integer) return json::Value(static_cast<std::int64_t>(value));
  return number;
}

Result<json::Value> read_switch(std::string_view text) {
  constexpr std::array<std::string_view, 4> kYes{"y", "yes", "true", "1"};
  constexpr std::array<std::string_view, 4> kNo{"n", "no", "false", "0"};
  if (std::ranges::find(kYes, text) != kYes.end()) return json::Value(true);
  if (std::ranges::find(kNo, text) != kNo.end()) return json::Value(false);
  return wanted("Give y or n.");
}

std::string_view kind_text(Kind kind) {
  switch (kind) {
    case Kind::Text: return {};
    case Kind::Number: return ", a number";
    case Kind::Integer: return ", a whole number";
    case Kind::Switch: return ", y or n";
    case Kind::Choice: return ", one of them";
    case Kind::Choices: return ", some of them with commas between";
  }
  return {};
}

}  // namespace

std::vector<FormField> form_fields(json::Object const& requested_schema) {
  std::vector<FormField> fields;
  auto const* const properties = json::find_object(requested_schema, "properties");
  if (properties == nullptr) return fields;
  auto const* const required = json::find_array(requested_schema, "required");
  for (auto const& [key, value] : *properties) {
    std::string const name{std::string_view{key}};
    FormField field{.name = name, .title = name};
    if (auto const* const property = value.if_object()) {
      auto title = field_text(*property, "title");
      if (!title.empty()) field.title = std::move(title);
      field.description = field_text(*property, "description");
      if (auto const* const initial = json::find(*property, "default")) field.initial = *initial;
      read_kind(*property, field);
    }
    field.required = required != nullptr && std::ranges::find(*required, json::Value(name)) !=
                                                required->end();
    fields.push_back(std::move(field));
  }
  return fields;
}

std::string prompt_of(FormField const& field) {
  auto const* const text = field.initial.if_string();
  auto const initial = field.initial.is_null() ? std::string{}
                       : text != nullptr       ? std::string{json::view(*text)}
                                               : json::to_text(field.initial);
  std::string note;
  if (!initial.empty()) {
    note = fmt::format(" (default {})", initial);
  } else if (!field.required) {
    note = " (optional)";
  }
  return fmt::format("{}{}{}: ", field.title, kind_text(field.kind), note);
}

Result<std::optional<json::Value>> read_answer(FormField const& field, std::string_view line) {
  auto const text = http::trimmed(line);
  if (text.empty()) {
    if (!field.initial.is_null()) return std::optional{field.initial};
    if (!field.required) return std::optional<json::Value>{};
    return wanted("It is required.");
  }
  Result<json::Value> value = json::Value(nullptr);
  switch (field.kind) {
    case Kind::Text: {
      SP_CHECK(check_bounds(field, static_cast<double>(text.size()), " characters"));
      value = json::Value(text);
      break;
    }
    case Kind::Number:
    case Kind::Integer: value = read_number(field, text); break;
    case Kind::Switch: value = read_switch(text); break;
    case Kind::Choice: {
      SP_TRY(auto const chosen, read_choice_of(field, text));
      value = json::Value(chosen);
      break;
    }
    case Kind::Choices: value = read_choices(field, text); break;
  }
  if (!value) return value.error();
  return std::optional{*std::move(value)};
}

}  // namespace sallyport::app::servers
