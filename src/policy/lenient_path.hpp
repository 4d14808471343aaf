// Paths as servers might read them, for rules that restrict.
//
// A rule that allows must be sure (url::path_has_prefix); one that denies or slows down must hold
// whatever a server could take for its path: "/%61dmin", "/x/..%2fadmin", "//Admin;v=1".
#pragma once

#include <string_view>

namespace sallyport::policy {

// Whether some server could find `path` at or below `prefix`. Never false where
// url::path_has_prefix is true.
bool path_may_have_prefix(std::string_view path, std::string_view prefix);

}  // namespace sallyport::policy
