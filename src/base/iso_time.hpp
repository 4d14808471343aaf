// Points in time as text: `2026-07-28T12:00:00.000Z`.
#pragma once

#include <chrono>
#include <string>

namespace sallyport {

std::string iso_time(std::chrono::system_clock::time_point time);

}  // namespace sallyport
