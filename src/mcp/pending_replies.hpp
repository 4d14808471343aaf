// Requests of ours to a legacy client that it has not answered yet. One table per loop.
//
// The client's answer arrives on any loop; its id says which loop asked.
#pragma once

#include "src/base/task.hpp"
#include "src/mcp/message.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>

namespace sallyport::mcp {

class PendingReplies {
 public:
  PendingReplies(std::size_t loop, Executor executor) : loop_{loop}, executor_{executor} {}

  // One request, from when it is sent until it is answered. Lives in the frame of who asks.
  class Waiter {
   public:
    Waiter(PendingReplies& table, std::string session);
    ~Waiter();
    Waiter(Waiter const&) = delete;
    Waiter& operator=(Waiter const&) = delete;

    std::string const& id() const noexcept { return id_; }

    // Fails with Cancelled when the waiting call was cancelled, with UpstreamFailed when the client
    // answered with an error.
    Task<json::Object> wait();

   private:
    friend class PendingReplies;

    PendingReplies& table_;
    std::string id_;
    std::string session_;
    std::optional<ResponseMessage> reply_;
    Timer arrived_;
  };

  // Ignored when nobody waits for it, or when it comes from another session.
  void deliver(std::string const& session, ResponseMessage reply);

  // The loop that minted `id`; nullopt when it is none of ours.
  static std::optional<std::size_t> loop_of(json::Value const& id);

 private:
  std::size_t loop_;
  Executor executor_;
  std::size_t minted_{0};
  std::unordered_map<std::string, Waiter*> waiting_;
};

}  // namespace sallyport::mcp
