// Sorts the messages of a peer that says everything on one stream: each to the conversation it
// belongs to.
#pragma once

#include "src/base/signal.hpp"
#include "src/mcp/client/wire.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace sallyport::upstream {

// Of one loop. Its conversations may outlive it.
class Switchboard {
 public:
  explicit Switchboard(Executor executor);
  ~Switchboard();
  Switchboard(Switchboard const&) = delete;
  Switchboard& operator=(Switchboard const&) = delete;

  // What will be said about the request of that id. Before it is sent.
  std::unique_ptr<mcp::client::Conversation> open(json::Value const& id);
  // What belongs to no request; one at a time.
  std::unique_ptr<mcp::client::Conversation> strays();

  void receive(mcp::Message message);
  // Nothing more will come: all who wait learn why.
  void end(Error why);
  bool has_ended() const noexcept { return ended_.has_value(); }

 private:
  class Line;
  struct Queue;

  Queue* addressee(mcp::Message const& message);
  Queue* only_line();
  Queue* line_of(json::Value const* id);

  Executor executor_;
  std::shared_ptr<Queue> strays_;
  std::map<std::string, std::weak_ptr<Queue>> lines_;  // by id_key()
  std::optional<Error> ended_;
};

}  // namespace sallyport::upstream
