// Hostile bytes on a connection of the HTTP server.
//
// Whatever comes, the connection ends, the handler sees well-formed requests only, and it sees the
// same ones whether the bytes come in one piece or in two. The first byte of the input says where
// to cut.
#include "src/base/assert.hpp"
#include "src/base/log.hpp"
#include "src/http/chars.hpp"
#include "src/net/loop_server.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace sallyport::net {
namespace {

using Seen = std::vector<std::string>;

constexpr ServerLimits kLimits{.header_bytes = 512, .body_bytes = 256};

void check_well_formed(http::ServerRequest const& request) {
  SP_ASSERT(http::is_token(request.method), "a method is a token");
  SP_ASSERT(!request.path.empty(), "there is a path");
  for (char const c : request.path + request.query) SP_ASSERT(c > ' ' && c < 0x7F, "no controls");
  for (auto const& [name, value] : request.headers) {
    SP_ASSERT(http::is_token(name) && http::is_field_value(value), "fields are clean");
    SP_ASSERT(http::trimmed(value) == value, "outer blanks are removed");
  }
  SP_ASSERT(request.headers.count("Host") <= 1, "one host");
  auto const* const length = request.headers.find("Content-Length");
  bool const chunked = request.headers.find("Transfer-Encoding") != nullptr;
  SP_ASSERT(!(length && chunked), "one framing");
  SP_ASSERT(chunked || request.body.size() == (length ? std::stoul(*length) : 0), "whole bodies");
  SP_ASSERT(request.body.size() <= kLimits.body_bytes, "the limit holds");
}

Async<void> note(Exchange& exchange, Seen& seen) {
  auto& request = exchange.request();
  check_well_formed(request);
  seen.push_back(
      fmt::format("{} {} {} {}", request.method, request.path, request.query, request.body));
  bool const watched = request.path.size() % 2 == 0;
  if (watched) exchange.watch_disconnect([] {});
  http::Response response{.body = request.path};
  auto sent = watched ? co_await exchange.begin(std::move(response))
                      : co_await exchange.respond(std::move(response));
  if (watched && sent) sent = co_await exchange.end();
}

// One connection from its first byte to its end.
class Session {
 public:
  explicit Session(Seen& seen)
      : shared_{kLimits, [&seen](Exchange& exchange) { return note(exchange, seen); },
                ServerMetrics{metrics_}, nullptr} {
    int ends[2];
    SP_ASSERT(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0, "sockets");
    peer_ = ends[0];
    server_.adopt(Socket{loop_.get_executor(), asio::ip::tcp::v4(), ends[1]});
  }
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;
  ~Session() { ::close(peer_); }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      auto const count = ::send(peer_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
      auto const moved = step();
      if (count <= 0 && !moved) return;  // the server has closed
    }
    while (step()) {
    }
  }

  void finish() {
    ::shutdown(peer_, SHUT_WR);
    while (step()) {
    }
    SP_ASSERT(shared_.connections == 0, "the connection ends with its peer");
  }

 private:
  // Lets both sides go on; false when neither can.
  bool step() {
    loop_.restart();
    bool moved = loop_.poll() > 0;
    char nowhere[4096];
    while (::recv(peer_, nowhere, sizeof nowhere, 0) > 0) moved = true;
    return moved;
  }

  asio::io_context loop_{1};
  Metrics metrics_;
  ServerShared shared_;
  LoopServer server_{loop_.get_executor(), shared_, std::nullopt};
  int peer_{-1};
};

Seen serve(std::string_view first, std::string_view second) {
  Seen seen;
  Session session{seen};
  session.send(first);
  if (!second.empty()) session.send(second);
  session.finish();
  return seen;
}

}  // namespace
}  // namespace sallyport::net

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  namespace sp = sallyport;
  static bool const quiet = (sp::log::configure({.level = sp::log::Level::Off}), true);
  if (!quiet || size < 2) return 0;
  std::string_view const bytes{reinterpret_cast<char const*>(data) + 1, size - 1};
  auto const cut = bytes.size() * data[0] / 255;

  auto const whole = sp::net::serve(bytes, {});
  auto const parts = sp::net::serve(bytes.substr(0, cut), bytes.substr(cut));

  SP_ASSERT(whole == parts, "what a request is does not depend on packets");
  return 0;
}
