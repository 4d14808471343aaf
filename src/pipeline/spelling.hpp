// Spellings of a URL that programs read differently. The one parse (url/url.hpp) is never in doubt,
// but whoever looked at the text before us, or looks at a log after us, may have read another host.
#pragma once

#include "src/base/result.hpp"

#include <string_view>

namespace sallyport::pipeline {

// Fails with InvalidInput for control characters, backslashes before the query, and anything before
// an `@` in the authority.
Result<void> check_spelling(std::string_view url);

// The same of a Location header, which may have nothing at all before its `@`, as browsers allow:
// `http://:@example.com/`. Nobody spells that to be misread: what follows is the host for all.
Result<void> check_location_spelling(std::string_view url);

}  // namespace sallyport::pipeline
