#include "src/rego/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::rego {
namespace {

std::string place_of(Diagnostic const& diagnostic) {
  if (diagnostic.at.row == 0) return diagnostic.file.empty() ? "" : diagnostic.file + ": ";
  auto const* const colon = diagnostic.file.empty() ? "" : ":";
  return fmt::format("{}{}{}:{}: ", diagnostic.file, colon, diagnostic.at.row,
                     diagnostic.at.column);
}

// The line that holds `offset`, without its end.
std::string_view line_around(std::string_view source, std::size_t offset) {
  auto const begin = offset == 0 ? std::string_view::npos : source.rfind('\n', offset - 1);
  auto const first = begin == std::string_view::npos ? 0 : begin + 1;
  auto line = source.substr(first, source.find('\n', offset) - first);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// White space as wide as `before`: tabs stay tabs, and the further bytes of a character take none.
std::string indentation(std::string_view before) {
  std::string out;
  for (auto const c : before) {
    if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;
    out += c == '\t' ? '\t' : ' ';
  }
  return out;
}

}  // namespace

std::string_view name_of(Code code) noexcept {
  switch (code) {
    case Code::Parse: return "rego_parse_error";
    case Code::Compile: return "rego_compile_error";
    case Code::Type: return "rego_type_error";
    case Code::UnsafeVar: return "rego_unsafe_var_error";
    case Code::Recursion: return "rego_recursion_error";
    case Code::Conflict: return "eval_conflict_error";
    case Code::EvalType: return "eval_type_error";
    case Code::Builtin: return "eval_builtin_error";
    case Code::With: return "eval_with_merge_error";
    case Code::Cancel: return "eval_cancel_error";
    case Code::Internal: return "eval_internal_error";
  }
  return "eval_internal_error";
}

std::string to_text(Diagnostic const& diagnostic, std::string_view source) {
  auto text =
      fmt::format("{}{}: {}", place_of(diagnostic), name_of(diagnostic.code), diagnostic.message);
  if (!diagnostic.hint.empty()) text += fmt::format(" (hint: {})", diagnostic.hint);
  if (source.empty() || diagnostic.at.row == 0) return text;
  auto const offset = std::min<std::size_t>(diagnostic.at.offset, source.size());
  auto const line = line_around(source, offset);
  auto const column = std::min<std::size_t>(diagnostic.at.column - 1, line.size());
  return text + fmt::format("\n{}\n{}^", line, indentation(line.substr(0, column)));
}

}  // namespace sallyport::rego
