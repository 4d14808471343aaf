// Carries a request of one of our clients to a server and everything that is said meanwhile back,
// whichever eras the two are of:
//
//   server asks …           client is stateless              client has a session
//   … and waits (older)     the call is parked, and taken    asked by requests, then the
//                           up when the answer comes          server is answered
//   … by ending (newer)     the server's state goes to the    asked by requests, then the
//                           client and comes back with it     server is asked again
#pragma once

#include "src/mcp/call_context.hpp"
#include "src/upstream/session/parked_errands.hpp"

#include <functional>
#include <memory>

namespace sallyport::upstream {

// What is asked of a server on behalf of a call.
struct Relayed {
  std::string method;
  json::Object params;
  mcp::client::Patience patience{};
  std::vector<mcp::MirroredParameter> const* mirrored{nullptr};
  std::shared_ptr<void const> keeps;  // what `mirrored` belongs to
  bool is_recorded{false};            // as in RequestContext
};

class Relay {
 public:
  // Makes an errand out of a job and starts it, with whoever hears of it.
  using Start =
      std::function<std::shared_ptr<Errand>(Errand::Job job, std::shared_ptr<Inbox> inbox)>;

  // Both outlive it.
  Relay(ParkedErrands& parked, Start start) : parked_{parked}, start_{std::move(start)} {}

  // The server's answer. Fails as a client's request does, with InputRequired (pass it on), or with
  // InvalidInput where a client comes back too late. `call` outlives the task.
  Task<mcp::client::Outcome> request(mcp::CallContext& call, Relayed relayed) const;

 private:
  struct Begun {
    std::shared_ptr<Errand> errand;
    std::optional<mcp::client::Inquiry> open;  // asked before, and not answered
  };

  Result<Begun> begin(mcp::CallContext& call, Relayed relayed, std::shared_ptr<Inbox> inbox) const;
  Result<Begun> take_up(mcp::Resumption back, std::shared_ptr<Inbox> inbox) const;
  Task<void> ask(mcp::CallContext& call, std::shared_ptr<Errand> const& errand,
                 mcp::client::Inquiry inquiry) const;
  Error wait_for_client(mcp::CallContext& call, std::shared_ptr<Errand> const& errand,
                        mcp::client::Inquiry inquiry, Error required) const;

  ParkedErrands& parked_;
  Start start_;
};

}  // namespace sallyport::upstream
