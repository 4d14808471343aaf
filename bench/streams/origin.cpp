// The origin of `./dev bench streams` beside nginx: it counts uploads, keeps silent streams open,
// and sends the messages of WebSockets back. A thread for each connection that has something to do.
//
//   streams_origin PORT
#include "src/base/base64.hpp"

#include <openssl/sha.h>

#include <array>
#include <charconv>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <thread>

#include "bench/streams/websocket.hpp"
#include "bench/streams/wire.hpp"

namespace {

using bench::Wire;

bool drop_chunks(Wire& wire) {
  for (;;) {
    auto const line = wire.hold_until("\r\n");
    if (!line) return false;
    std::size_t size = 0;
    std::from_chars(wire.held().data(), wire.held().data() + *line, size, 16);
    wire.skip(*line);
    if (!wire.drop(size + 2)) return false;
    if (size == 0) return true;
  }
}

bool take_upload(Wire& wire, std::string const& head) {
  auto const length = bench::field(head, "content-length");
  std::size_t size = 0;
  if (length) std::from_chars(length->data(), length->data() + length->size(), size);
  bool const taken = length ? wire.drop(size) : drop_chunks(wire);
  return taken && wire.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
}

// Says its first byte, and nothing more while the process lives.
void fall_silent(Wire& wire) {
  wire.send(
      "HTTP/1.1 200 OK\r\nContent-Type: application/x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "1\r\nx\r\n");
  wire.let_go();
}

void echo_messages(Wire& wire, std::string_view key) {
  auto const accepted = std::string{key} + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest{};
  SHA1(reinterpret_cast<unsigned char const*>(accepted.data()), accepted.size(), digest.data());
  auto const accept =
      sallyport::base64::encode({reinterpret_cast<char const*>(digest.data()), digest.size()});
  wire.send(
      fmt::format("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
                  "Connection: Upgrade\r\nSec-WebSocket-Accept: {}\r\n\r\n",
                  accept));
  constexpr std::uint8_t kClose = 8;
  std::string out;
  for (;;) {
    auto const frame = bench::read_frame(wire);
    if (!frame) return;
    bench::write_frame(out, frame->opcode, frame->payload, false);
    bool const is_over = frame->opcode == kClose;
    wire.skip(frame->size);
    // As many as have come go back together.
    if (!is_over && !wire.held().empty() && out.size() < 64UL * 1024) continue;
    if (!wire.send(out) || is_over) return;
    out.clear();
  }
}

void serve(int socket) {
  Wire wire{socket};
  for (;;) {
    auto const end = wire.hold_until("\r\n\r\n");
    if (!end) return;
    std::string const head{wire.held().substr(0, *end)};
    wire.skip(*end);
    if (auto const key = bench::field(head, "sec-websocket-key")) return echo_messages(wire, *key);
    if (head.starts_with("GET")) return fall_silent(wire);
    if (!take_upload(wire, head)) return;
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) bench::give_up("streams_origin PORT");
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  int const listener = ::socket(AF_INET, SOCK_STREAM, 0);
  auto const address =
      bench::on_loopback(static_cast<std::uint16_t>(std::strtoul(words[1], nullptr, 10)));
  int const on = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(listener, reinterpret_cast<sockaddr const*>(&address), sizeof address) != 0 ||
      ::listen(listener, 4096) != 0) {
    bench::give_up("the port is taken");
  }
  for (;;) {
    int const socket = ::accept(listener, nullptr, nullptr);
    if (socket >= 0) std::thread{serve, socket}.detach();
  }
}
