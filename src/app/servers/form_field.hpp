// One field of a form that a server wants filled in (elicitation): how it is asked for, and what an
// answer means.
#pragma once

#include "src/base/result.hpp"
#include "src/json/value.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::app::servers {

struct FormField {
  std::string name;
  std::string title;        // or the name
  std::string description;  // may be empty
  enum class Kind { Text, Number, Integer, Switch, Choice, Choices } kind{Kind::Text};
  struct Option {
    std::string value;
    std::string title;
  };
  std::vector<Option> options;  // of choices
  json::Value initial;          // null: none
  bool required{false};
  std::optional<double> minimum;  // of a number, the length of a text, or how many choices
  std::optional<double> maximum;
};

// In the order of the schema. What a form may not have (an object, say) is asked for as a text.
std::vector<FormField> form_fields(json::Object const& requested_schema);

// "Name, a number (default 5): "
std::string prompt_of(FormField const& field);

// Nothing: the field stays out of the answer. Fails with InvalidInput, saying what is wanted.
Result<std::optional<json::Value>> read_answer(FormField const& field, std::string_view line);

}  // namespace sallyport::app::servers
