// Scopes: words that say what a token may be used for (RFC 6749, section 3.3).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::oauth::upstream {

// One or more scopes with spaces between, of the characters that the standard allows, and not too
// long for a URL.
bool is_scope_list(std::string_view text) noexcept;

std::vector<std::string_view> split_scopes(std::string_view list);
bool has_scope(std::string_view list, std::string_view scope);

// Those of `first` in their order, then those that only `second` has.
std::string scope_union(std::string_view first, std::string_view second);

std::string join_scopes(std::vector<std::string> const& scopes);

}  // namespace sallyport::oauth::upstream
