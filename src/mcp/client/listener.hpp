// Ports: whoever hears what a server says besides its answers.
#pragma once

#include "src/base/task.hpp"
#include "src/mcp/message.hpp"

#include <map>
#include <optional>
#include <string>

namespace sallyport::mcp::client {

struct Question {
  std::string method;
  json::Object params;
};
// By keys that the server chose; older servers, which ask one at a time, have no such thing.
using Questions = std::map<std::string, Question>;
using Answers = std::map<std::string, json::Object>;

struct Inquiry {
  Questions questions;
  // An older server waits for the answer in the middle of the request; a newer one is asked again,
  // and wants this back then, if it gave it.
  bool server_waits{false};
  std::optional<std::string> request_state{};
};

// Of one request.
class Listener {
 public:
  virtual ~Listener() = default;

  virtual void progress(json::Object const& /*params*/) {}
  virtual void log(json::Object const& /*params*/) {}
  // Any other notification that belongs to the request.
  virtual void heard(NotificationMessage const& /*message*/) {}

  // Whether somebody is behind it. A question that does not say which request it belongs to is
  // never one about a request without.
  virtual bool can_be_asked() const noexcept { return true; }

  // The server wants to know something before it goes on: elicitation, sampling, roots. Results as
  // the protocol has them. An older server is told of a failure of ClientCapabilityMissing; any
  // other ends the request.
  virtual Task<Answers> answer(Inquiry inquiry) = 0;
};

// Of a request about which nobody can be asked.
class NobodyToAsk final : public Listener {
 public:
  bool can_be_asked() const noexcept override { return false; }
  Task<Answers> answer(Inquiry) override {
    co_return fail(Errc::ClientCapabilityMissing, "Nobody is there to be asked.");
  }
};

// Of all that belongs to no request.
class Observer {
 public:
  virtual ~Observer() = default;

  // From now on nothing is missed; see Client::listen().
  virtual void listening() {}
  // From now on something may be missed: the server stopped to say anything by itself.
  virtual void lost() {}
  virtual void heard(NotificationMessage const& message) = 0;
};

}  // namespace sallyport::mcp::client
