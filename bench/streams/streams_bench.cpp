// The client of `./dev bench streams`. Prints one line of JSON.
//
//   streams_bench PORT download PATH | upload PATH BYTES | idle PATH COUNT
//                 echo PATH COUNT SIZE | echo-direct PATH COUNT SIZE
#include "src/base/base64.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "bench/streams/client.hpp"
#include "bench/streams/websocket.hpp"

namespace bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view kView = "view-of-the-benchmark";
// Of messages that are under way together.
constexpr std::uint64_t kBatch = 64;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string open_stream(Client& client, std::string_view tool, std::string_view more,
                        std::string_view name) {
  return std::string{
      member(client.call(tool, fmt::format(R"({{"view":"{}",{}}})", kView, more)), name)};
}

void download(Client& client, std::string_view path) {
  auto const begin = Clock::now();
  auto const id =
      open_stream(client, "http_request_stream", fmt::format(R"("url":"{}")", path), "streamId");
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
  auto const id =
      open_stream(client, "http_request_stream",
                  fmt::format(R"("url":"{}","method":"PUT","upload":true)", path), "streamId");
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

// First many at a time, then one after another, by the clock.
struct Echoes {
  std::uint64_t messages{0};
  double seconds{0};
  std::vector<double> round_trips{};  // in µs

  void print() {
    std::ranges::sort(round_trips);
    auto const at = [&](std::size_t percent) {
      return round_trips[(round_trips.size() - 1) * percent / 100];
    };
    fmt::print(
        R"({{"messages":{},"seconds":{:.3f},"frames_per_second":{:.0f},"p50_us":{:.0f},"p99_us":{:.0f}}})"
        "\n",
        messages, seconds, static_cast<double>(messages) / seconds, at(50), at(99));
  }
};

constexpr std::uint64_t kRoundTrips = 2000;

// Over tools/call: a page has a pull waiting on one connection while it sends on another.
void echo(Client& client, std::uint16_t port, std::string_view path, std::uint64_t count,
          std::size_t size) {
  auto const id =
      open_stream(client, "ws_connect", fmt::format(R"("url":"{}")", path), "connectionId");
  auto const message = fmt::format(R"({{"text":"{}"}})", std::string(size, 'm'));
  std::string batch;
  for (std::uint64_t i = 0; i < kBatch; ++i) (batch += i == 0 ? "" : ",") += message;
  std::uint64_t seq = 0;
  auto const pushed = [&](std::string_view messages) {
    return fmt::format(R"({{"view":"{}","connectionId":"{}","seq":{},"messages":[{}]}})", kView, id,
                       seq++, messages);
  };
  Client puller{port};
  Echoes echoes;
  std::uint64_t next = 0;
  auto const begin = Clock::now();
  for (std::uint64_t sent = 0; sent < count;) {
    client.call("ws_send", pushed(batch));
    for (sent += kBatch; next < sent;) {
      auto const answer = puller.call("stream_pull", pull_arguments(kView, id, next));
      next += read_pull(answer).frames;
      if (next > sent) give_up(answer);
    }
  }
  echoes.seconds = seconds_since(begin);
  echoes.messages = next;
  for (std::uint64_t i = 0; i < kRoundTrips; ++i) {
    puller.ask("stream_pull", pull_arguments(kView, id, next));
    auto const started = Clock::now();
    client.ask("ws_send", pushed(message));
    auto const answer = puller.answer();
    auto const frames = read_pull(answer).frames;
    if (frames != 1) give_up(answer.substr(0, 1000));
    next += frames;
    echoes.round_trips.push_back(seconds_since(started) * 1e6);
    client.answer();
  }
  // The next run has the same view.
  client.call("stream_close", fmt::format(R"({{"view":"{}","all":true}})", kView));
  echoes.print();
}

// The same without anything between.
void echo_directly(Wire wire, std::string_view path, std::uint64_t count, std::size_t size) {
  wire.send(
      fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
                  "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
                  path));
  auto const head = wire.hold_until("\r\n\r\n");
  if (!head) give_up("the WebSocket did not open");
  wire.skip(*head);
  constexpr std::uint8_t kText = 1;
  auto const receive = [&] {
    auto const frame = read_frame(wire);
    if (!frame || frame->payload.size() != size) give_up("the echo broke");
    wire.skip(frame->size);
  };
  std::string message;
  write_frame(message, kText, std::string(size, 'm'), true);
  std::string batch;
  for (std::uint64_t i = 0; i < kBatch; ++i) batch += message;
  Echoes echoes;
  auto const begin = Clock::now();
  for (; echoes.messages < count; echoes.messages += kBatch) {
    wire.send(batch);
    for (std::uint64_t i = 0; i < kBatch; ++i) receive();
  }
  echoes.seconds = seconds_since(begin);
  for (std::uint64_t i = 0; i < kRoundTrips; ++i) {
    auto const started = Clock::now();
    wire.send(message);
    receive();
    echoes.round_trips.push_back(seconds_since(started) * 1e6);
  }
  echoes.print();
}

int run(int count, char** words) {
  if (count < 4) {
    give_up(
        "PORT download PATH | upload PATH BYTES | idle PATH COUNT | echo PATH COUNT SIZE | "
        "echo-direct PATH COUNT SIZE");
  }
  auto const port = static_cast<std::uint16_t>(std::strtoul(words[1], nullptr, 10));
  std::string_view const what{words[2]};
  auto const number = [&](int at) {
    return at < count ? std::strtoull(words[at], nullptr, 10) : 0ULL;
  };
  if (what == "echo-direct") {
    echo_directly(Wire::to(port), words[3], number(4), number(5));
    return 0;
  }
  Client client{port};
  if (what == "download") download(client, words[3]);
  if (what == "upload") upload(client, words[3], number(4));
  if (what == "idle") idle(client, words[3], number(4));
  if (what == "echo") echo(client, port, words[3], number(4), number(5));
  return 0;
}

}  // namespace
}  // namespace bench

int main(int count, char** words) {
  return bench::run(count, words);
}
