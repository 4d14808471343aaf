#include "src/config/expand_variables.hpp"

#include "src/base/ascii.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace sallyport::config {
namespace {

constexpr std::string_view kOpen = "${";
constexpr std::string_view kEnvironment = "env:";
constexpr std::string_view kOtherwise = ":-";
constexpr std::size_t kLongest = 1024UL * 1024;

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    auto const lower = to_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// What `${inside}` stands for.
Result<std::string> value_of(std::string_view inside, Variables const& variables) {
  if (inside.starts_with(kEnvironment)) inside.remove_prefix(kEnvironment.size());
  std::optional<std::string_view> otherwise;
  if (auto const at = inside.find(kOtherwise); at != std::string_view::npos) {
    otherwise = inside.substr(at + kOtherwise.size());
    inside = inside.substr(0, at);
  }
  if (!is_name(inside)) {
    return fail(Errc::InvalidInput,
                fmt::format("${{{}}} is not the name of a variable", inside.substr(0, 64)));
  }
  auto const found = std::ranges::find(variables, inside, &Variables::value_type::first);
  bool const there = found != variables.end() && !(otherwise && found->second.empty());
  if (there) return found->second;
  if (otherwise) return std::string{*otherwise};
  return fail(Errc::InvalidInput, fmt::format("the variable {} is not set", inside));
}

}  // namespace

Result<std::string> expand_variables(std::string_view text, Variables const& variables) {
  std::string result;
  while (!text.empty()) {
    auto const open = text.find(kOpen);
    result += text.substr(0, open);
    if (open == std::string_view::npos) break;
    auto const close = text.find('}', open);
    if (close == std::string_view::npos) return fail(Errc::InvalidInput, "has ${ without }");
    auto const begin = open + kOpen.size();
    SP_TRY(auto const value, value_of(text.substr(begin, close - begin), variables));
    result += value;
    if (result.size() > kLongest) return fail(Errc::InvalidInput, "is longer than 1 MiB");
    text.remove_prefix(close + 1);
  }
  return result;
}

}  // namespace sallyport::config
