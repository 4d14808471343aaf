// The client of `./dev bench streams`: an app's page that speaks MCP over one connection and reads
// no more of an answer than it has to, so that the server is what is measured.
//
//   streams_bench PORT download PATH | upload PATH BYTES | idle PATH COUNT | echo PATH COUNT SIZE
//
// Prints one line of JSON.
#include "src/base/base64.hpp"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void give_up(std::string_view why) {
  fmt::print(stderr, "streams_bench: {}\n", why);
  std::exit(1);
}

// Requests one after another on one connection.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_{::socket(AF_INET, SOCK_STREAM, 0)} {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) {
      give_up("nobody listens");
    }
    int const on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  ~Client() { ::close(socket_); }
  Client(Client const&) = delete;
  Client& operator=(Client const&) = delete;

  // The body of the answer; valid until the next call.
  std::string_view call(std::string_view tool, std::string_view arguments) {
    auto const body = fmt::format(
        R"({{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{}","arguments":{},)"
        R"("_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
        R"("io.modelcontextprotocol/clientCapabilities":{{}}}}}}}})",
        tool, arguments);
    send(
        fmt::format("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                    "Accept: application/json, text/event-stream\r\n"
                    "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
                    "Mcp-Name: {}\r\nContent-Length: {}\r\n\r\n",
                    tool, body.size()));
    send(body);
    return receive();
  }

 private:
  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      auto const count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (count <= 0) give_up("the connection broke");
      bytes.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  void receive_some() {
    if (buffer_.size() - filled_ < 256 * 1024UL) buffer_.resize(buffer_.size() * 2 + 512 * 1024UL);
    auto const count = ::recv(socket_, buffer_.data() + filled_, buffer_.size() - filled_, 0);
    if (count <= 0) give_up("the connection broke");
    filled_ += static_cast<std::size_t>(count);
  }

  std::string_view filled() const { return {buffer_.data(), filled_}; }

  std::string_view receive() {
    filled_ = 0;
    std::size_t head = std::string_view::npos;
    while ((head = filled().find("\r\n\r\n")) == std::string_view::npos) receive_some();
    head += 4;
    auto const text = filled().substr(0, head);
    auto at = text.find("ontent-");
    while (at != std::string_view::npos && !text.substr(at).starts_with("ontent-Length: ") &&
           !text.substr(at).starts_with("ontent-length: ")) {
      at = text.find("ontent-", at + 1);
    }
    if (at == std::string_view::npos) return receive_chunks(head);
    std::size_t size = 0;
    std::from_chars(text.data() + at + 15, text.data() + text.size(), size);
    while (filled_ < head + size) receive_some();
    return filled().substr(head, size);
  }

  std::string_view receive_chunks(std::size_t at) {
    joined_.clear();
    for (;;) {
      while (filled().find("\r\n", at) == std::string_view::npos) receive_some();
      std::size_t size = 0;
      std::from_chars(buffer_.data() + at, buffer_.data() + filled_, size, 16);
      at = filled().find("\r\n", at) + 2;
      while (filled_ < at + size + 2) receive_some();
      joined_ += filled().substr(at, size);
      at += size + 2;
      if (size == 0) return joined_;
    }
  }

  int socket_;
  std::string buffer_;
  std::string joined_;
  std::size_t filled_{0};
};

std::string_view member(std::string_view text, std::string_view name) {
  auto const key = fmt::format("\"{}\":\"", name);
  auto const at = text.find(key);
  if (at == std::string_view::npos) give_up(text.substr(0, 500));
  auto const from = at + key.size();
  return text.substr(from, text.find('"', from) - from);
}

// What came with one pull: enough of it to go on.
struct Pulled {
  std::uint64_t frames{0};
  std::uint64_t bytes{0};
  bool ended{false};
};

Pulled read_pull(std::string_view text) {
  Pulled pulled;
  constexpr std::string_view kKind = "\"kind\":\"";
  for (auto at = text.find(kKind); at != std::string_view::npos; at = text.find(kKind, at)) {
    ++pulled.frames;
    at += kKind.size();
    auto const rest = text.substr(at);
    pulled.ended = rest.starts_with("end\"");
    if (rest.starts_with("error")) give_up(rest.substr(0, 300));
    auto const data = rest.find("\"b64\":\"");
    auto const text_at = rest.find("\"text\":\"");
    if (data == 0 || data > 20) {
      if (text_at < 20) pulled.bytes += rest.find('"', text_at + 8) - text_at - 8;
      continue;
    }
    auto const from = data + 7;
    auto const* end =
        static_cast<char const*>(std::memchr(rest.data() + from, '"', rest.size() - from));
    auto const size = static_cast<std::size_t>(end - rest.data()) - from;
    pulled.bytes += size / 4 * 3;
    at += from + size;
  }
  return pulled;
}

std::string pull_arguments(std::string_view view, std::string_view id, std::uint64_t next) {
  return fmt::format(
      R"({{"view":"{}","acks":{{"{}":{}}},"credit":{{"{}":4194304}},"maxBytes":1048576}})", view,
      id, next, id);
}

constexpr std::string_view kView = "view-of-the-benchmark";

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void download(Client& client, std::string_view path) {
  auto const begin = Clock::now();
  std::string const id{member(
      client.call("http_request_stream", fmt::format(R"({{"view":"{}","url":"{}"}})", kView, path)),
      "streamId")};
  std::uint64_t next = 0;
  std::uint64_t bytes = 0;
  std::uint64_t pulls = 0;
  for (bool ended = false; !ended;) {
    auto const pulled = read_pull(client.call("stream_pull", pull_arguments(kView, id, next)));
    next += pulled.frames;
    bytes += pulled.bytes;
    ended = pulled.ended;
    ++pulls;
  }
  auto const seconds = seconds_since(begin);
  client.call("stream_pull", pull_arguments(kView, id, next));
  fmt::print(R"({{"bytes":{},"pulls":{},"seconds":{:.3f},"mib_per_second":{:.1f}}})"
             "\n",
             bytes, pulls, seconds, static_cast<double>(bytes) / seconds / 1048576);
}

void upload(Client& client, std::string_view path, std::uint64_t size) {
  constexpr std::size_t kPiece = 1024UL * 1024;
  auto const piece = sallyport::base64::encode(std::string(kPiece, 'u'));
  auto const begin = Clock::now();
  std::string const id{member(
      client.call(
          "http_request_stream",
          fmt::format(R"({{"view":"{}","url":"{}","method":"PUT","upload":true}})", kView, path)),
      "streamId")};
  auto const pieces = size / kPiece;
  for (std::uint64_t seq = 0; seq < pieces; ++seq) {
    auto const answer = client.call(
        "stream_push", fmt::format(R"({{"view":"{}","id":"{}","seq":{},"fin":{},"b64":"{}"}})",
                                   kView, id, seq, seq + 1 == pieces, piece));
    if (answer.find("\"ack\":") == std::string_view::npos) give_up(answer.substr(0, 500));
  }
  std::uint64_t next = 0;
  for (bool ended = false; !ended;) {
    auto const pulled = read_pull(client.call("stream_pull", pull_arguments(kView, id, next)));
    next += pulled.frames;
    ended = pulled.ended;
  }
  auto const seconds = seconds_since(begin);
  client.call("stream_pull", pull_arguments(kView, id, next));
  fmt::print(R"({{"bytes":{},"seconds":{:.3f},"mib_per_second":{:.1f}}})"
             "\n",
             pieces * kPiece, seconds, static_cast<double>(pieces) / seconds);
}

// Streams that say nothing, 64 in a view; then waits to be told to end.
void idle(Client& client, std::string_view path, std::uint64_t count) {
  auto const begin = Clock::now();
  for (std::uint64_t i = 0; i < count; ++i) {
    auto const view = fmt::format("idle-view-number-{:06}", i / 64);
    member(client.call("http_request_stream",
                       fmt::format(R"({{"view":"{}","url":"{}"}})", view, path)),
           "streamId");
  }
  fmt::print(R"({{"streams":{},"seconds":{:.3f}}})"
             "\n",
             count, seconds_since(begin));
  std::fflush(stdout);
  std::getchar();
}

// Messages to a WebSocket that sends them back, 64 in a push.
void echo(Client& client, std::string_view path, std::uint64_t count, std::size_t size) {
  std::string const id{
      member(client.call("ws_connect", fmt::format(R"({{"view":"{}","url":"{}"}})", kView, path)),
             "connectionId")};
  constexpr std::uint64_t kBatch = 64;
  std::string messages;
  for (std::uint64_t i = 0; i < kBatch; ++i) {
    messages += fmt::format(R"({}{{"text":"{}"}})", i == 0 ? "" : ",", std::string(size, 'm'));
  }
  auto const begin = Clock::now();
  std::uint64_t next = 0;
  for (std::uint64_t seq = 0; seq * kBatch < count; ++seq) {
    client.call("ws_send",
                fmt::format(R"({{"view":"{}","connectionId":"{}","seq":{},"messages":[{}]}})",
                            kView, id, seq, messages));
    while (next < (seq + 1) * kBatch) {
      next += read_pull(client.call("stream_pull", pull_arguments(kView, id, next))).frames;
    }
  }
  auto const seconds = seconds_since(begin);
  fmt::print(R"({{"messages":{},"seconds":{:.3f},"per_second":{:.0f}}})"
             "\n",
             next, seconds, static_cast<double>(next) / seconds);
}

}  // namespace

int main(int count, char** words) {
  if (count < 4)
    give_up("PORT download PATH | upload PATH BYTES | idle PATH COUNT | echo PATH COUNT SIZE");
  Client client{static_cast<std::uint16_t>(std::strtoul(words[1], nullptr, 10))};
  std::string_view const what{words[2]};
  auto const number = [&](int at) {
    return at < count ? std::strtoull(words[at], nullptr, 10) : 0ULL;
  };
  if (what == "download") download(client, words[3]);
  if (what == "upload") upload(client, words[3], number(4));
  if (what == "idle") idle(client, words[3], number(4));
  if (what == "echo") echo(client, words[3], number(4), number(5));
  return 0;
}
