// Answers whatever a server asks: forms with their defaults, one canned text of a model, one root.
#pragma once

#include "src/mcp/client/listener.hpp"

namespace sallyport::conformance {

class ObligingListener final : public mcp::client::Listener {
 public:
  Task<mcp::client::Answers> answer(mcp::client::Inquiry inquiry) override;
};

// What the client can do, as it tells servers.
json::Object capabilities();

}  // namespace sallyport::conformance
