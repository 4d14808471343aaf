#include "src/rego/builtins/schema_format.hpp"

#include "src/rego/builtins/regex_engine.hpp"

#include <arpa/inet.h>
#include <array>
#include <string>

namespace sallyport::rego::builtins {
namespace {

bool is_regex(std::string_view text) {
  std::string error;
  return Regex::compile(text, error) != nullptr;
}

template <int family>
bool is_address(std::string_view text) {
  std::array<unsigned char, 16> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  return inet_pton(family, std::string{text}.c_str(), bytes.data()) == 1;
}

// What a regular expression can say. Days of a month and the like are left to whoever uses them.
struct Format {
  std::string_view name;
  char const* pattern;
};
constexpr auto kFormats = std::to_array<Format>({
    {"date", R"(\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01]))"},
    {"time", R"(([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d+)?(Z|[+-]\d\d:\d\d)?)"},
    {"date-time",
     R"(\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d)"
     R"((\.\d+)?([Zz]|[+-]\d\d:?\d\d)?)"},
    {"email", R"([^@\s]+@[^@\s]+)"},
    {"idn-email", R"([^@\s]+@[^@\s]+)"},
    {"hostname",
     R"([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*)"},
    {"uri", R"([a-zA-Z][a-zA-Z0-9+.-]*:[^\s\\]*)"},
    {"iri", R"([a-zA-Z][a-zA-Z0-9+.-]*:[^\s\\]*)"},
    {"uuid", R"((?i)[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12})"},
    {"json-pointer", R"((/([^~/]|~0|~1)*)*)"},
    {"relative-json-pointer", R"((0|[1-9][0-9]*)(#|(/([^~/]|~0|~1)*)*))"},
});

}  // namespace

bool has_format(std::string_view format, std::string_view text) {
  if (format == "regex") return is_regex(text);
  if (format == "ipv4") return is_address<AF_INET>(text);
  if (format == "ipv6") return is_address<AF_INET6>(text);
  for (auto const& [name, pattern] : kFormats) {
    if (name == format) return RE2::FullMatch({text.data(), text.size()}, pattern);
  }
  return true;
}

}  // namespace sallyport::rego::builtins
