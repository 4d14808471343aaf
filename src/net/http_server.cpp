#include "src/net/http_server.hpp"

#include "src/net/loop_server.hpp"
#include "src/net/tls_context.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <sys/socket.h>
#include <utility>
#include <vector>

namespace sallyport::net {
namespace {

using Endpoint = asio::ip::tcp::endpoint;
using ReusePort = asio::detail::socket_option::boolean<SOL_SOCKET, SO_REUSEPORT>;

Result<asio::ip::address> parse_host(std::string_view host) {
  if (host == "localhost") return asio::ip::address{asio::ip::address_v4::loopback()};
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  ErrorCode error;
  auto address = asio::ip::make_address(host, error);
  if (!error) return address;
  return fail(Errc::InvalidInput,
              fmt::format("\"{}\" is no address to listen on. Give an IP address of this machine "
                          "(127.0.0.1, ::1, 0.0.0.0) or \"localhost\".",
                          host));
}

Error cannot_listen(Endpoint const& where, ErrorCode const& error) {
  std::string_view advice = "Give an address of this machine and a port that you may use.";
  if (error == asio::error::address_in_use) {
    advice = "Stop the program that has the port, or choose another port (0: any free one).";
  } else if (error == asio::error::access_denied) {
    advice = "Choose a port above 1023, or give the program the right to use this one.";
  }
  return fail(Errc::InvalidInput,
              fmt::format("Cannot listen on {} port {}: {}. {}", where.address().to_string(),
                          where.port(), error.message(), advice));
}

enum class Sharing { Alone, WithOurLoops };

Result<Acceptor> listen_on(Executor executor, Endpoint const& where, Sharing sharing) {
  Acceptor acceptor{executor};
  ErrorCode error;
  acceptor.open(where.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address{true}, error);
  if (!error && sharing == Sharing::WithOurLoops) acceptor.set_option(ReusePort{true}, error);
  if (!error && where.address().is_v6() && where.address().is_unspecified()) {
    acceptor.set_option(asio::ip::v6_only{false}, error);
  }
  if (!error) acceptor.bind(where, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return cannot_listen(where, error);
  return acceptor;
}

class Server final : public HttpServer {
 public:
  Server(ServerOptions const& options, EventLoops& loops, Metrics& metrics, Handler handler,
         std::unique_ptr<asio::ssl::context> tls)
      : loops_{loops},
        shared_{options.limits, std::move(handler), ServerMetrics{metrics}, std::move(tls)} {}

  Result<void> listen(Endpoint where) {
    if (where.port() != 0) {
      // With SO_REUSEPORT the kernel would let us share the port with another server of the same
      // user, and split the clients between both. So somebody without it asks first.
      SP_TRY(auto probe, listen_on(loops_.executor(0), where, Sharing::Alone));
      probe.close();
    }
    for (std::size_t loop = 0; loop < loops_.size(); ++loop) {
      SP_TRY(auto acceptor, listen_on(loops_.executor(loop), where, Sharing::WithOurLoops));
      ErrorCode error;
      where.port(acceptor.local_endpoint(error).port());
      parts_.push_back(
          std::make_unique<LoopServer>(loops_.executor(loop), shared_, std::move(acceptor)));
    }
    port_ = where.port();
    return {};
  }

  void start() override {
    loops_.on_each([this](std::size_t loop) { parts_[loop]->start(); });
  }

  void stop(std::chrono::milliseconds grace, std::function<void()> on_done) override {
    auto const cut_at = Clock::now() + grace;
    asio::post(loops_.executor(0), [this, cut_at, on_done = std::move(on_done)]() mutable {
      stop_parts(cut_at, std::move(on_done));
    });
  }

  std::uint16_t port() const noexcept override { return port_; }

 private:
  // These run on loop 0. Each message to a loop is answered, so that no message is under way when
  // on_done lets the owner destroy us.
  void stop_parts(Clock::time_point cut_at, std::function<void()> on_done) {
    on_done_.push_back(std::move(on_done));
    bool const again = std::exchange(stopping_, true);
    unanswered_ += parts_.size();
    loops_.on_each([this, cut_at, again](std::size_t loop) {
      auto answer = [this] { asio::post(loops_.executor(0), [this] { note_answer(); }); };
      if (again) {
        parts_[loop]->hasten(cut_at);
        answer();
      } else {
        parts_[loop]->stop(cut_at, answer);
      }
    });
  }

  void note_answer() {
    if (--unanswered_ > 0) return;
    // The first of them may destroy this object.
    for (auto const& on_done : std::exchange(on_done_, {})) on_done();
  }

  EventLoops& loops_;
  ServerShared shared_;
  std::vector<std::unique_ptr<LoopServer>> parts_;
  std::uint16_t port_{0};
  bool stopping_{false};
  std::size_t unanswered_{0};
  std::vector<std::function<void()>> on_done_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::create(ServerOptions options, EventLoops& loops,
                                                       Metrics& metrics, Handler handler) {
  SP_TRY(auto const address, parse_host(options.host));
  SP_TRY(auto tls, make_tls_context(options.tls));
  auto server =
      std::make_unique<Server>(options, loops, metrics, std::move(handler), std::move(tls));
  SP_CHECK(server->listen(Endpoint{address, options.port}));
  return std::unique_ptr<HttpServer>{std::move(server)};
}

}  // namespace sallyport::net
