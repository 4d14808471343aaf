#include "src/egress/socket.hpp"

#include <fmt/format.h>

namespace sallyport::egress {

// As https://websockets.spec.whatwg.org/#dom-websocket-close has it: the other codes are for
// programs that speak the protocol, not for those that use it.
Result<void> check_goodbye(std::optional<std::uint16_t> code, std::string_view reason) {
  constexpr std::size_t kLongestReason = 123;  // of a control frame, beside the code
  if (!code && !reason.empty()) {
    return fail(Errc::InvalidInput, "A reason to close a WebSocket needs a code before it.");
  }
  if (code && *code != 1000 && (*code < 3000 || *code > 4999)) {
    return fail(Errc::InvalidInput,
                fmt::format("A WebSocket is closed with 1000 or 3000 to 4999, not {}.", *code));
  }
  if (reason.size() > kLongestReason) {
    return fail(Errc::InvalidInput,
                fmt::format("The reason to close a WebSocket has {} bytes; at most {} can be sent.",
                            reason.size(), kLongestReason));
  }
  return {};
}

}  // namespace sallyport::egress
