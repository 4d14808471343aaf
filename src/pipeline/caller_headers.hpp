// Which headers a caller may put on a request of its own.
//
// A header that frames the message, speaks for a proxy or opens a metadata service is not the
// caller's to set: it would change who is asked, or what the one who is asked believes.
#pragma once

#include "src/base/result.hpp"
#include "src/http/message.hpp"

#include <cstddef>
#include <string_view>

namespace sallyport::pipeline {

// At once: what comes on top is refused, before anything looks for one among them.
inline constexpr std::size_t kMostCallerHeaders = 200;
inline constexpr std::size_t kMostCallerHeaderBytes = 64UL * 1024;

struct CallerHeaderRules {
  // Headers that say who the caller is to the site (Authorization, Cookie). A redirect to another
  // origin drops them.
  bool credentials{true};
  // Values are bytes, and those from 0x80 on may be sent; else they are text, which HTTP has no
  // encoding for.
  bool bytes{false};
};

// Fails with InvalidInput when a name or value cannot be sent, or when the caller may not set it,
// and with LimitExceeded when there are too many.
// The message names the header and the reason; it never repeats a value.
Result<void> check_caller_headers(http::Headers const& headers, CallerHeaderRules rules = {});

// Whether an app in a sandbox may not set the header: everything above, and credentials. In any
// case.
bool is_forbidden_for_apps(std::string_view name) noexcept;

// Whether the header may go along when a redirect leads to another origin. A list of what may stay,
// not of what must go: nobody knows all the names under which sites take secrets.
bool survives_cross_origin(std::string_view name) noexcept;

}  // namespace sallyport::pipeline
