// What a plain scalar of YAML means, by the rules of the Go library that OPA uses (YAML 1.1 in
// places: "yes" is true).
#pragma once

#include <cstdint>
#include <string_view>

namespace sallyport::rego::builtins {

struct YamlScalar {
  enum class Kind : std::uint8_t { Text, Null, Boolean, Integer, Unsigned, Float, Merge };
  Kind kind{Kind::Text};
  bool boolean{false};
  std::int64_t integer{0};
  std::uint64_t natural{0};
  double real{0};
};

// A timestamp counts as text here, though it is written in quotes.
YamlScalar resolve_yaml(std::string_view plain);

// Whether the text stays a text when it is written without quotes.
bool is_plain_yaml_text(std::string_view text);

}  // namespace sallyport::rego::builtins
