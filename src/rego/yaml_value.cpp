#include "src/rego/yaml_value.hpp"

#include "src/rego/build.hpp"
#include "src/rego/number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <yaml-cpp/yaml.h>

namespace sallyport::rego {
namespace {

// Aliases can make much out of little.
constexpr int kMostNodes = 10'000;

bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  auto const digits = [&] {
    auto const count = std::min(text.find_first_not_of("0123456789"), text.size());
    text.remove_prefix(count);
    return count != 0;
  };
  if (text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9') return false;
  if (!digits()) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!digits()) return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    if (!digits()) return false;
  }
  return text.empty();
}

class Reader {
 public:
  explicit Reader(Arena& arena) : arena_{arena} {}

  Result<Value> read(YAML::Node const& node, int depth) {
    if (depth > kDeepestYaml || ++nodes_ > kMostNodes) {
      return fail(Errc::InvalidInput, "yaml: too much");
    }
    if (node.IsSequence()) return sequence(node, depth);
    if (node.IsMap()) return map(node, depth);
    return node.IsScalar() ? scalar(node) : Value::null();
  }

 private:
  Value scalar(YAML::Node const& node) {
    auto const text = arena_.copy(node.Scalar());
    if (node.Tag() != "?") return Value::string(text);
    if (text.empty() || text == "~" || text == "null") return Value::null();
    if (text == "true" || text == "false") return Value::boolean(text == "true");
    if (is_number(text)) {
      if (auto const number = make_number(text, arena_); number.is_defined()) return number;
    }
    return Value::string(text);
  }

  Result<Value> sequence(YAML::Node const& node, int depth) {
    ArrayBuilder out{arena_, node.size()};
    for (auto const& item : node) {
      auto const value = read(item, depth + 1);
      if (!value) return value;
      out.add(*value);
    }
    return out.finish();
  }

  Result<Value> map(YAML::Node const& node, int depth) {
    ObjectBuilder out{arena_, node.size()};
    for (auto const& entry : node) {
      if (!entry.first.IsScalar()) return fail(Errc::InvalidInput, "yaml: invalid map key type");
      auto const value = read(entry.second, depth + 1);
      if (!value) return value;
      out.add(arena_.copy(entry.first.Scalar()), *value);
    }
    return out.finish();
  }

  Arena& arena_;
  int nodes_{0};
};

}  // namespace

Result<Value> parse_yaml(std::string const& text, Arena& arena) {
  // Nothing that is written here nests this deep; the library would recurse as deep as the text
  // asks for.
  auto const opens = std::ranges::count_if(text, [](char c) { return c == '[' || c == '{'; });
  auto const dashes = std::ranges::count(text, '-');
  auto const questions = std::ranges::count(text, '?');
  if (opens > 1000 || dashes > 10'000 || questions > 1000) {
    return fail(Errc::InvalidInput, "yaml: too much");
  }
  try {
    return Reader{arena}.read(YAML::Load(text), 0);
  } catch (YAML::Exception const& error) {
    return fail(Errc::InvalidInput,
                fmt::format("yaml: line {}: {}", error.mark.line + 1, error.msg));
  }
}

}  // namespace sallyport::rego
