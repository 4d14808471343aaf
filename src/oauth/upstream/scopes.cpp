#include "src/oauth/upstream/scopes.hpp"

#include <algorithm>

namespace sallyport::oauth::upstream {
namespace {

constexpr std::size_t kLongestList = 4096;

}  // namespace

bool is_scope_list(std::string_view text) noexcept {
  bool const allowed = std::ranges::all_of(
      text, [](char c) { return c >= ' ' && c < '\x7F' && c != '"' && c != '\\'; });
  return allowed && text.size() <= kLongestList &&
         text.find_first_not_of(' ') != std::string_view::npos;
}

std::vector<std::string_view> split_scopes(std::string_view list) {
  std::vector<std::string_view> scopes;
  while (!list.empty()) {
    auto const end = std::min(list.find(' '), list.size());
    if (end > 0) scopes.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return scopes;
}

bool has_scope(std::string_view list, std::string_view scope) {
  return std::ranges::count(split_scopes(list), scope) > 0;
}

std::string scope_union(std::string_view first, std::string_view second) {
  std::vector<std::string_view> all;
  for (auto const list : {first, second}) {
    for (auto const scope : split_scopes(list)) {
      if (std::ranges::find(all, scope) == all.end()) all.push_back(scope);
    }
  }
  return join_scopes({all.begin(), all.end()});
}

std::string join_scopes(std::vector<std::string> const& scopes) {
  std::string list;
  for (auto const& scope : scopes) list += (list.empty() ? "" : " ") + scope;
  return list;
}

}  // namespace sallyport::oauth::upstream
