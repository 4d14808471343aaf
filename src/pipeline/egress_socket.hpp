// A WebSocket on the road as it is built: a journey that has arrived, and the connection behind it.
//
// Private to this module.
#pragma once

#include "src/pipeline/journey.hpp"
#include "src/pipeline/outbound_socket.hpp"

#include <optional>
#include <string>

namespace sallyport::pipeline {

class EgressSocket final : public OutboundSocket {
 public:
  EgressSocket(RoadParts const& parts, egress::Resolver& resolver, Helpers helpers, Passage passage,
               SocketRequest request);
  ~EgressSocket() override;
  EgressSocket(EgressSocket const&) = delete;
  EgressSocket& operator=(EgressSocket const&) = delete;

  // First of all: until it is open.
  Task<void> arrive();
  // Once, after that, given how it went.
  audit::Record first_record(Result<void> const& arrived);

  url::Url const& url() const noexcept override { return arrival_->url; }
  std::string const& protocol() const noexcept override { return arrival_->socket->protocol(); }
  std::string const& extensions() const noexcept override { return extensions_; }
  Task<std::optional<SocketMessage>> next() override;
  Task<void> send(SocketMessage message) override;
  Task<void> close(std::optional<std::uint16_t> code, std::string reason) override;
  SocketClosing const& closing() const noexcept override { return closing_; }

 private:
  // Which record comes next.
  enum class Owed { First, Closing, None };

  std::optional<Error> why_ended() const;
  audit::Record take_closing_record(std::optional<Error> failure);

  RoadParts const& parts_;
  Passage const passage_;
  SocketWish wish_;
  Journey journey_;
  std::optional<SocketArrival> arrival_;  // once it is open
  std::string extensions_;                // without what it repeats of our credentials
  SocketClosing closing_;
  Owed owed_{Owed::First};
  std::optional<Error> failure_;  // with which next() ended
};

}  // namespace sallyport::pipeline
