// Ids of calls that sort by time: new ones go to the end of the log's index, which is what makes
// them cheap to record. Any other text works as an id, at the price of a page of the index each.
#pragma once

#include <chrono>
#include <string>

namespace sallyport::audit {

// 32 hex digits: 12 of milliseconds since 1970, 20 that nobody can guess.
std::string new_call_id(std::chrono::system_clock::time_point now);

}  // namespace sallyport::audit
