// Ids of calls that begin with their time, so that the log finds them by its index of times. Any
// other text works as an id, and is found by reading the whole log.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::audit {

// 32 hex digits: 12 of milliseconds since 1970, 20 that nobody can guess.
std::string new_call_id(std::chrono::system_clock::time_point now);
// Nothing for an id of another form.
std::optional<std::chrono::system_clock::time_point> time_of_call_id(std::string_view id);

}  // namespace sallyport::audit
