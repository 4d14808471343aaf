// Questions in the middle of a request: those of the new era come as a result and are answered by
// asking again.
//
// Private to this folder.
#pragma once

#include "src/mcp/client/listener.hpp"

#include <string_view>

namespace sallyport::mcp::client {

// The key of a question that has none.
inline constexpr std::string_view kOnlyQuestion = "question";

bool wants_input(json::Object const& result);

// Fails with UpstreamFailed where they are not what the protocol says.
Result<Inquiry> read_inquiry(json::Object const& result);

// Makes the parameters of the next round: `requestState` exactly as it came, and only if it did.
void put_answers(json::Object& params, Answers answers, json::Object const& result);

// A notification of the request, to whoever it is for.
void tell(NotificationMessage const& notice, Listener& listener);

}  // namespace sallyport::mcp::client
