// What a tool gave, as text for people and pipes.
#pragma once

#include "src/json/value.hpp"

#include <string>

namespace sallyport::app::servers {

// Texts as they are, each ending with a line end; of everything else what it is and how large.
// Structured content where there is nothing else.
std::string result_text(json::Object const& result);

// "[####      ] 4/10 message", as far as a progress notification says so.
std::string progress_text(json::Object const& params);

// "warning logger: text" of a log notification.
std::string log_text(json::Object const& params);

}  // namespace sallyport::app::servers
