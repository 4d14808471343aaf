// Alice and Bob, who have a token each.
#pragma once

#include "tests/support/mcp_client.hpp"

#include <string>
#include <utility>

namespace sallyport::test {

// Settings that let them in, and nobody else.
inline constexpr auto const* kTwoCallers =
    "auth:\n  tokens:\n  - principal: alice\n    token: token-of-alice-0123456789abcdef\n"
    "  - principal: bob\n    token: token-of-bob-0123456789abcdef\n";

inline std::pair<std::string, std::string> token_of(std::string const& who) {
  return {"Authorization", "Bearer token-of-" + who + "-0123456789abcdef"};
}

inline Modern as(std::string const& who, Modern message) {
  message.fields.push_back(token_of(who));
  return message;
}

}  // namespace sallyport::test
