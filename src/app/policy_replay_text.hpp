// What a replay finds, as people and programs read it.
#pragma once

#include "src/app/policy_replay.hpp"

#include <string>

namespace sallyport::app {

// A few lines.
std::string change_text(ReplayChange const& change);
// The closing words: figures, what was not judged, and what a decision may depend on that is not
// recorded. `shown` is how many of the changes were printed.
std::string summary_text(PolicyReplay const& replay, std::uint64_t shown);

// One line of JSON each.
std::string change_json(ReplayChange const& change);
std::string summary_json(PolicyReplay const& replay, std::uint64_t shown);

}  // namespace sallyport::app
