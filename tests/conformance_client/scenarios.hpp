// What each scenario of the suites wants a client to do.
#pragma once

#include "src/mcp/client/client.hpp"

#include <string>
#include <string_view>

namespace sallyport::conformance {

struct Scenario {
  std::string name;      // MCP_CONFORMANCE_SCENARIO
  json::Object context;  // MCP_CONFORMANCE_CONTEXT
};

// Empty where there is none.
std::string text_in(json::Object const& object, std::string_view member);

// Fails where the scenario cannot be carried out.
Task<void> play(mcp::client::Client& client, Scenario const& scenario);

}  // namespace sallyport::conformance
