#include "src/egress/agreement.hpp"

#include <algorithm>
#include <string_view>

namespace sallyport::egress {
namespace {

std::string values_of(http::Headers const& headers, std::string_view name) {
  std::string all;
  for (auto const& [field, value] : headers) {
    if (!http::equals_ignoring_case(field, name)) continue;
    if (!all.empty()) all += ", ";
    all += value;
  }
  return all;
}

}  // namespace

// https://websockets.spec.whatwg.org/#concept-websocket-establish
Result<std::string> agreed_protocol(std::vector<std::string> const& offered,
                                    http::Headers const& answer) {
  auto protocol = values_of(answer, "Sec-WebSocket-Protocol");
  bool const nothing = offered.empty() && protocol.empty();
  if (nothing || std::ranges::find(offered, protocol) != offered.end()) return protocol;
  return fail(Errc::UpstreamFailed,
              protocol.empty() ? "The server accepts none of the subprotocols of the WebSocket."
                               : "The server wants a subprotocol that was not offered.");
}

std::string agreed_extensions(http::Headers const& answer) {
  return values_of(answer, "Sec-WebSocket-Extensions");
}

}  // namespace sallyport::egress
