// Port: the way to one MCP server. `transport` has one for each binding (Streamable HTTP, HTTP+SSE,
// a child process); what the messages mean is decided in Client.
#pragma once

#include "src/base/request_context.hpp"
#include "src/base/task.hpp"
#include "src/mcp/message.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::mcp::client {

// Headers that go with a message; only HTTP has a use for them.
using MessageHeaders = std::vector<std::pair<std::string, std::string>>;

struct Post {
  std::string message;  // one JSON-RPC message on one line
  json::Value id;       // of a request; null: nobody answers it
  MessageHeaders headers;
  Deadline deadline{};                   // until the server has taken it
  RequestContext const* about{nullptr};  // on whose behalf; null: our own. Lives until then
};

// How the server took a message, as far as the binding tells.
struct Reception {
  int status{200};      // of HTTP; 200 where there is none
  std::string session;  // Mcp-Session-Id, where it gave one
};

// What the server says about one request. Destroying it stops listening, which cancels a request
// over HTTP.
class Conversation {
 public:
  virtual ~Conversation() = default;

  virtual Reception const& reception() const noexcept = 0;

  // The next message: notifications, requests of older servers, at last the response; nothing after
  // that, or where there is none. A connection that breaks is taken up again where the server
  // allows it. Fails with UpstreamFailed, LimitExceeded or Cancelled. One call at a time.
  virtual Task<std::optional<Message>> next() = 0;
  // The same where the message is there already, without waiting; nothing where it may be not.
  virtual std::optional<Message> ready() { return std::nullopt; }
};

// Of one loop. It outlives its conversations.
class Wire {
 public:
  virtual ~Wire() = default;

  virtual bool is_http() const noexcept = 0;

  // Returns when the server has taken the message, or refused it (Reception::status), and in time
  // for its deadline. Fails with
  // CredentialUnavailable (a person has to sign in), with whatever the road out fails with,
  // UpstreamFailed, DeadlineExceeded or Cancelled.
  virtual Task<std::unique_ptr<Conversation>> post(Post post) = 0;

  // What the server says by itself, to a session: messages that belong to no request. Fails with
  // NotFound where it does not do that.
  virtual Task<std::unique_ptr<Conversation>> listen(MessageHeaders headers) = 0;

  // The server knows neither era here: goes back to the older binding (HTTP+SSE), where there is
  // one. Whether it makes sense to try again.
  virtual Task<bool> fall_back() { co_return false; }

  // Says goodbye to a session of an older server.
  virtual Task<void> end_session(MessageHeaders headers) = 0;
};

}  // namespace sallyport::mcp::client
