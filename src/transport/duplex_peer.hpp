// A peer at the other end of one stream of messages in each direction: stdio, or HTTP+SSE.
//
// Both eras on one stream, told apart per message. Use it on the loop of its dispatcher.
#pragma once

#include "src/mcp/classify.hpp"
#include "src/mcp/dispatcher.hpp"

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>

namespace sallyport::transport {

class DuplexPeer {
 public:
  // The way to it. Neither function may call back.
  struct Output {
    std::function<void(std::string message)> write;  // sends one message
    std::function<std::size_t()> unsent;             // bytes of it that the peer has yet to take
  };

  DuplexPeer(mcp::Dispatcher& dispatcher, Principal principal, std::size_t json_depth,
             Output output);
  // Gives up what is in flight, and ends the session.
  ~DuplexPeer();
  DuplexPeer(DuplexPeer const&) = delete;
  DuplexPeer& operator=(DuplexPeer const&) = delete;

  // One message, or a batch.
  void receive(std::string_view text);

  // Calls that have not been answered, subscriptions apart.
  std::size_t in_flight() const noexcept;

 private:
  class Line;

  void take(mcp::ModernRequest request);
  void take(mcp::ModernNotification notification);
  void take(mcp::LegacyMessage message);
  void take(mcp::LegacyBatch batch);
  void take(mcp::Refused refused);
  void take_legacy(mcp::RequestMessage message);
  void open(mcp::RequestMessage const& message);
  Line& add_line(bool waits_for_an_end);
  void reap();
  RequestContext context(json::Object const& params) const;

  mcp::Dispatcher& dispatcher_;
  Principal principal_;
  std::size_t json_depth_;
  Output output_;
  std::string scope_;
  std::shared_ptr<mcp::Session> session_;
  std::list<std::unique_ptr<Line>> lines_;
  std::unique_ptr<Line> standing_;  // what concerns no request
};

}  // namespace sallyport::transport
