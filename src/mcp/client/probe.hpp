// Which era a server speaks, by its answer to a request of the newest revision.
#pragma once

#include "src/mcp/message.hpp"

#include <optional>

namespace sallyport::mcp::client {

enum class ProbeVerdict {
  Modern,        // it answered, and speaks the newest revision that we know
  ModernAgain,   // it is, but wants another version: ask again
  Refused,       // it is, but wants something of us that we do not do
  Undiscovered,  // it does not know the request, in words of the new era: `initialize` tells
  Legacy,        // `initialize` it
  Unclear,       // no evidence: it is in trouble, or wants to know who we are
};

struct ProbeAnswer {
  bool over_http{true};
  int status{200};
  std::optional<Message> message;  // the response, where there was one
};

// By codes and status, never by texts: those of older servers mislead.
ProbeVerdict judge_probe(ProbeAnswer const& answer);

// The code of an error response; nothing for any other message.
std::optional<std::int64_t> error_code_of(Message const& message);

}  // namespace sallyport::mcp::client
