#include "src/rego/builtins/json_path.hpp"

#include "src/rego/builtins/operands.hpp"

namespace sallyport::rego::builtins {
namespace {

// RFC 6901, section 4: "~1" first.
Value unescaped(std::string_view part, Arena& arena) {
  if (part.find('~') == std::string_view::npos) return Value::string(part);
  std::string text;
  for (std::size_t at = 0; at < part.size(); ++at) {
    auto const next = at + 1 < part.size() ? part[at + 1] : '\0';
    if (part[at] != '~' || (next != '0' && next != '1')) {
      text += part[at];
      continue;
    }
    text += next == '1' ? '/' : '~';
    ++at;
  }
  return Value::string(arena.copy(text));
}

}  // namespace

bool read_json_path(BuiltinCall& call, Value path, JsonPath& out) {
  out.clear();
  if (path.is(Kind::Array)) {
    out.assign(path.items().begin(), path.items().end());
    return true;
  }
  if (!path.is(Kind::String)) {
    call.wrong_operand(
        2,
        "must be one of {set, array} containing string paths or array of path segments but got " +
            std::string{name_of(path.kind())});
    return false;
  }
  auto text = path.as_string();
  if (text.empty()) return true;
  while (text.starts_with('/')) text.remove_prefix(1);
  while (true) {
    auto const end = text.find('/');
    out.push_back(unescaped(text.substr(0, end), call.arena));
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 1);
  }
}

}  // namespace sallyport::rego::builtins
