// "Did you mean …?" for keys, variables, flags and commands.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::config {

// The candidate nearest to `word`; nothing when none is near enough to be what was meant.
std::optional<std::string> nearest(std::string_view word, std::span<std::string const> candidates);

// " (did you mean X?)", or an empty text.
std::string did_you_mean(std::string_view word, std::span<std::string const> candidates);

}  // namespace sallyport::config
