// The path of a URL while it is put together, segment by segment: dot segments are resolved, and
// the drive letters of file: URLs are kept.
#pragma once

#include <string>
#include <string_view>

namespace sallyport::url {

// "C:" or "C|".
bool is_drive_letter(std::string_view text) noexcept;
// The same, as the whole first segment of what follows.
bool starts_with_drive_letter(std::string_view text) noexcept;
// The "/C:" that `path` begins with; empty when it begins otherwise.
std::string_view drive_of(std::string_view path) noexcept;

enum class PathScheme { Other, Special, File };

// Removes the last segment, but not the drive of a file: URL.
void shorten(std::string& path, PathScheme scheme);

// Appends the segments of `input`, which begins behind the first slash, to `path`; stops at "?",
// "#" or the end and returns where that is.
std::size_t append_segments(std::string& path, std::string_view input, PathScheme scheme);

}  // namespace sallyport::url
