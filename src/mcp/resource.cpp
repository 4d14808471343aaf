#include "src/mcp/resource.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::mcp {

std::optional<TemplateValues> match_template(std::string_view uri_template, std::string_view uri) {
  TemplateValues values;
  while (!uri_template.empty()) {
    auto const open = uri_template.find('{');
    auto const literal = uri_template.substr(0, open);
    if (!uri.starts_with(literal)) return std::nullopt;
    uri.remove_prefix(literal.size());
    if (open == std::string_view::npos) break;
    auto const close = uri_template.find('}', open);
    if (close == std::string_view::npos) return std::nullopt;
    auto const name = uri_template.substr(open + 1, close - open - 1);
    uri_template.remove_prefix(close + 1);
    // A variable ends where the literal text behind it begins, and never crosses a '/'.
    auto const next = uri_template.substr(0, uri_template.find('{'));
    auto end = std::min(uri.find('/'), uri.size());
    if (!next.empty()) end = std::min(end, uri.find(next));
    if (end == 0 || end == std::string_view::npos) return std::nullopt;
    values.emplace(name, uri.substr(0, end));
    uri.remove_prefix(end);
  }
  return uri.empty() ? std::optional{std::move(values)} : std::nullopt;
}

}  // namespace sallyport::mcp
