#include "src/app/script_socket.hpp"

#include <optional>
#include <utility>

namespace sallyport::app {
namespace {

class RoadSocket final : public js::Socket {
 public:
  explicit RoadSocket(std::unique_ptr<pipeline::OutboundSocket> socket)
      : socket_{std::move(socket)} {}

  std::string const& protocol() const override { return socket_->protocol(); }
  std::string const& extensions() const override { return socket_->extensions(); }

  Task<std::optional<js::SocketMessage>> next() override {
    auto message = co_await socket_->next();
    if (!message || !*message) {
      closing_ = {socket_->closing().code, socket_->closing().reason};
      if (!message) co_return std::move(message).error();
      co_return std::optional<js::SocketMessage>{};
    }
    co_return js::SocketMessage{(*message)->text, std::move((*message)->data)};
  }
  Task<void> send(js::SocketMessage message) override {
    return socket_->send({message.text, std::move(message.data)});
  }
  Task<void> close(std::optional<std::uint16_t> code, std::string reason) override {
    return socket_->close(code, std::move(reason));
  }
  js::SocketClosing const& closing() const override { return closing_; }

 private:
  std::unique_ptr<pipeline::OutboundSocket> socket_;
  js::SocketClosing closing_;
};

}  // namespace

Task<std::unique_ptr<js::Socket>> open_script_socket(pipeline::Road& road,
                                                     pipeline::Passage passage,
                                                     pipeline::SocketRequest request) {
  SP_CO_TRY(auto socket, co_await road.connect(std::move(passage), std::move(request)));
  co_return std::make_unique<RoadSocket>(std::move(socket));
}

}  // namespace sallyport::app
