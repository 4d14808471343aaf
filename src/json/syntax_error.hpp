// What Boost.JSON's parser did not like, in our words. For those who drive it.
#pragma once

#include "src/base/result.hpp"

#include <boost/system/error_code.hpp>

#include <cstddef>
#include <string_view>

namespace sallyport::json {

// InvalidInput, naming line and column of the byte at `at` in `text`.
Error syntax_error(boost::system::error_code const& error, std::string_view text, std::size_t at);

}  // namespace sallyport::json
