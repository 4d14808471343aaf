// The names of views and streams.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::stream {

// 128 random bits in 22 characters: whoever knows it was told.
std::string new_handle();

// 16 to 64 characters of base64url, made up by a page.
bool is_view_name(std::string_view name) noexcept;

}  // namespace sallyport::stream
