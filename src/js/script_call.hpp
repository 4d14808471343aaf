// One call of a script into its world, from the frame that asks to the one that ends it.
#pragma once

#include "src/base/task.hpp"
#include "src/js/run_socket.hpp"
#include "src/js/world.hpp"
#include "src/json/value.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>

namespace sallyport::js {

// What the calls of one run share.
struct CallShare {
  RunSocket& socket;
  World& world;
  std::size_t body_bytes_left;  // of all bodies together, both ways
};

class ScriptCall {
 public:
  ScriptCall(std::uint32_t id, CallShare& share, Executor executor);
  virtual ~ScriptCall() = default;
  ScriptCall(ScriptCall const&) = delete;
  ScriptCall& operator=(ScriptCall const&) = delete;

  // Does what was asked, to the end of all bodies. A failure is told to the script.
  Task<void> serve();

  // Frames of the script about this call.
  void chunk(std::string bytes);
  void end(std::string payload);
  void credit(std::size_t bytes);

 protected:
  // Answers, and then deals with the bodies.
  virtual Task<void> perform() = 0;

  struct Piece {
    bool last{false};
    std::string bytes;  // of the last one: what End said
  };
  // The next piece that the script sends.
  Task<Piece> next_piece();
  // Sends a piece of a body as soon as the script has room for it.
  Task<void> send_piece(std::string_view bytes);
  // Sends a message of a WebSocket, whole, as soon as the script has any room: its credit may be
  // overdrawn by one.
  Task<void> send_message(std::string_view bytes);
  void answer(json::Value value);
  void send_end(json::Object const& payload = {});
  // Counts bytes against what the run may move. Fails with LimitExceeded.
  Result<void> spend(std::size_t bytes);

  CallShare& share() noexcept { return share_; }

 private:
  void tell(Error const& error);

  std::uint32_t id_;
  CallShare& share_;
  Signal changed_;
  std::deque<Piece> pieces_;
  std::int64_t credit_{kFirstCredit};
  bool answered_{false};
};

// What a script learns of a failure: the payload of an Answer, or of an End.
json::Object error_payload(Error const& error);

// By what the Call frame says. Fails with InvalidInput for an operation that there is not.
Result<std::unique_ptr<ScriptCall>> make_call(std::uint32_t id, json::Object const& asked,
                                              CallShare& share, Executor executor);

}  // namespace sallyport::js
