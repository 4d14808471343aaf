// A client of one MCP server, of whatever era: finds out which one it speaks, opens a session where
// that needs one, and asks.
#pragma once

#include "src/base/signal.hpp"
#include "src/base/task_group.hpp"
#include "src/mcp/client/ask.hpp"
#include "src/mcp/client/listener.hpp"
#include "src/mcp/client/wire.hpp"

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace sallyport::mcp::client {

struct ClientOptions {
  json::Object info{{"name", "sallyport"}, {"version", SALLYPORT_VERSION}};
  // What an older server is told at the start; requests of the new era say it themselves.
  json::Object capabilities{};
  std::chrono::milliseconds connecting{30'000};
  // Of a child process, which may just be silent; half of `connecting` at most.
  std::chrono::milliseconds probing{5'000};
  std::chrono::milliseconds notifications{10'000};
  std::size_t rounds{8};  // of questions in one request
  // What was agreed on with this server before: an older one is not probed again.
  std::optional<Revision> known_revision{};
};

// What came of a request: a result, or the server's own error.
struct Outcome {
  json::Object result{};
  std::optional<RpcError> error{};
};

// Of one loop. close() must have returned before it is destroyed.
class Client {
 public:
  // Wire and observer outlive it.
  Client(Wire& wire, Observer& observer, ClientOptions options, Executor executor);
  Client(Client const&) = delete;
  Client& operator=(Client const&) = delete;

  // Done by itself before the first request; who comes meanwhile waits for the same attempt. Fails
  // with UpstreamFailed, DeadlineExceeded, what the wire fails with, or Cancelled.
  Task<std::shared_ptr<Agreement const>> connect();
  // Null where it is not connected.
  std::shared_ptr<Agreement const> agreement() const noexcept { return agreement_; }

  // Returns with the answer. Questions of the server, in either era, go to the listener. Who gives
  // up, or loses patience, has the server told. A session that the server has forgotten is opened
  // anew, once; one that was replaced by a server of the other era is asked again as that.
  Task<Outcome> request(Ask ask, std::shared_ptr<Listener> listener);

  // Never answered.
  Task<void> notify(std::string method, json::Object params);

  // Hears what the server says by itself, until it stops or the task is cancelled. `wanted`: what
  // a server of the new era is asked to tell (the parameter `notifications` of
  // `subscriptions/listen`). Fails with NotFound where the server does not do that.
  Task<void> listen(json::Object wanted);

  // Ends what is under way, and the session of an older server.
  Task<void> close();

 private:
  class InFlight;
  struct Asker;
  struct Greeting;

  Task<Agreement> negotiate();
  Task<Agreement> probe();
  Task<Agreement> initialize();
  Task<Agreement> initialize_or_assume();
  Task<Greeting> greet();
  Task<Agreement> begin_session(json::Object result, std::string session);
  Task<std::optional<Outcome>> ask_once(Ask const& ask, std::shared_ptr<Listener> const& listener,
                                        bool doubts);
  Task<Outcome> ask_with_session(Ask const& ask, std::shared_ptr<Listener> const& listener);
  Task<Outcome> converse(Conversation& conversation, InFlight& flight);
  Task<std::optional<Message>> next_of(Conversation& conversation, InFlight& flight);
  Task<void> serve(RequestMessage request, Result<std::shared_ptr<Asker>> addressed);
  Result<std::shared_ptr<Asker>> addressee(RequestMessage const& question) const;
  void note_cancelled(InFlight const& flight);
  Task<void> hear(Conversation& conversation);
  Task<void> say(Post post);
  void say_later(Post post);
  void forget(std::shared_ptr<Agreement const> const& forgotten);

  Wire& wire_;
  Observer& observer_;
  ClientOptions options_;
  std::shared_ptr<Agreement const> agreement_;
  bool connecting_{false};
  std::optional<Error> failure_;  // of the attempt that has just ended
  Signal connected_;
  std::int64_t last_id_{0};
  std::list<InFlight*> in_flight_;
  // Until when a server may still ask about requests that were cancelled, by principal.
  std::map<std::string, Clock::time_point> cancelled_;
  TaskGroup group_;
};

}  // namespace sallyport::mcp::client
