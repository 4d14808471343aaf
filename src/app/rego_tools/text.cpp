#include "src/app/rego_tools/text.hpp"

#include "src/json/write.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::app::rego_tools {
namespace {

// Where the text that starts with a quote ends.
std::size_t end_of_string(std::string_view json, std::size_t begin) {
  auto at = begin + 1;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return std::min(at + 1, json.size());
}

std::string_view text_of_source(rego::Diagnostic const& error,
                                std::span<rego::Source const> sources, std::string_view query) {
  if (error.file.empty()) return query;
  auto const found = std::ranges::find(sources, error.file, &rego::Source::name);
  return found == sources.end() ? std::string_view{} : found->text;
}

std::string error_json(rego::Diagnostic const& error) {
  auto const location =
      error.at.row == 0 ? "" : "\"location\":" + location_json(error.file, error.at) + ",";
  auto const hint = error.hint.empty() ? "" : fmt::format(" (hint: {})", error.hint);
  return fmt::format("{{{}\"message\":{},\"code\":{}}}", location,
                     json_string(error.message + hint), json_string(name_of(error.code)));
}

// 1.5, not 1.500.
std::string in_unit(double count, std::string_view unit) {
  auto text = fmt::format("{:.6f}", count);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return fmt::format("{}{}", text, unit);
}

}  // namespace

std::string indented(std::string_view json) {
  std::string out;
  std::size_t level = 0;
  auto const new_line = [&] { out += '\n' + std::string(level * 2, ' '); };
  for (std::size_t at = 0; at < json.size(); ++at) {
    char const c = json[at];
    if (c == '"') {
      auto const end = end_of_string(json, at);
      out += json.substr(at, end - at);
      at = end - 1;
    } else if ((c == '{' || c == '[') && at + 1 < json.size() && json[at + 1] == c + 2) {
      out += json.substr(at++, 2);  // {} and []: the closing ones are two further in ASCII
    } else if (c == '{' || c == '[') {
      out += c;
      ++level;
      new_line();
    } else if (c == '}' || c == ']') {
      --level;
      new_line();
      out += c;
    } else {
      out += c;
      if (c == ',') new_line();
      if (c == ':') out += ' ';
    }
  }
  return out;
}

std::string json_string(std::string_view text) {
  std::string out;
  json::write_string(text, out);
  return out;
}

std::string location_json(std::string_view file, rego::Location const& at) {
  return fmt::format("{{\"file\":{},\"row\":{},\"col\":{}}}", json_string(file), at.row, at.column);
}

std::string errors_json(rego::Diagnostics const& errors) {
  std::string list;
  for (auto const& error : errors) list += (list.empty() ? "" : ",") + error_json(error);
  return fmt::format("{{\"errors\":[{}]}}", list);
}

std::string errors_text(rego::Diagnostics const& errors, std::span<rego::Source const> sources,
                        std::string_view query) {
  auto text = errors.size() == 1 ? std::string{"1 error occurred: "}
                                 : fmt::format("{} errors occurred:\n", errors.size());
  for (auto const& error : errors) {
    text += to_text(error, text_of_source(error, sources, query)) + "\n";
  }
  return text;
}

std::string duration_text(std::chrono::nanoseconds duration) {
  auto const count = static_cast<double>(duration.count());
  if (duration < std::chrono::microseconds{1}) return fmt::format("{}ns", duration.count());
  if (duration < std::chrono::milliseconds{1}) return in_unit(count / 1e3, "µs");
  if (duration < std::chrono::seconds{1}) return in_unit(count / 1e6, "ms");
  return in_unit(count / 1e9, "s");
}

}  // namespace sallyport::app::rego_tools
