// What the two sides of a WebSocket have agreed on, by the server's answer. Inside egress.
#pragma once

#include "src/base/result.hpp"
#include "src/http/message.hpp"

#include <string>
#include <vector>

namespace sallyport::egress {

// One of those that were offered, or none where none was; else it fails with UpstreamFailed.
Result<std::string> agreed_protocol(std::vector<std::string> const& offered,
                                    http::Headers const& answer);

// As the server named them.
std::string agreed_extensions(http::Headers const& answer);

}  // namespace sallyport::egress
