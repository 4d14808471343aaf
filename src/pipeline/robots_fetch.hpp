// Asks a site for its robots.txt, on the road like everything else, for a call that wants a page.
#pragma once

#include "src/pipeline/road.hpp"
#include "src/pipeline/robots_cache.hpp"

namespace sallyport::pipeline {

// With a record of its own. `request` is the call's: its holes in the guard hold here too, and who
// asks for the page (`user_agent`) asks for this.
Task<RobotsAnswer> fetch_robots(Road& road, Passage const& on_behalf,
                                OutboundRequest const& request, std::string_view user_agent,
                                url::Url robots_url);

}  // namespace sallyport::pipeline
