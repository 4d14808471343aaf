// An app's page that speaks MCP over one connection and reads no more of an answer than it has to,
// so that the server is what is measured.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "bench/streams/wire.hpp"

namespace bench {

// Requests one after another on one connection.
class Client {
 public:
  explicit Client(std::uint16_t port) : wire_{Wire::to(port)} {}

  // The body of the answer; valid until the next call.
  std::string_view call(std::string_view tool, std::string_view arguments) {
    ask(tool, arguments);
    return answer();
  }

  void ask(std::string_view tool, std::string_view arguments) {
    auto const body = fmt::format(
        R"({{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{}","arguments":{},)"
        R"("_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
        R"("io.modelcontextprotocol/clientCapabilities":{{}}}}}}}})",
        tool, arguments);
    auto const head = fmt::format(
        "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        "Accept: application/json, text/event-stream\r\n"
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
        "Mcp-Name: {}\r\nContent-Length: {}\r\n\r\n",
        tool, body.size());
    // Small ones in one packet; long ones without another copy.
    bool const is_small = body.size() < 4096;
    if (!wire_.send(is_small ? head + body : head)) give_up("the connection broke");
    if (!is_small && !wire_.send(body)) give_up("the connection broke");
  }

  std::string_view answer() {
    wire_.skip(wire_.held().size());
    auto const head = wire_.hold_until("\r\n\r\n");
    if (!head) give_up("the connection broke");
    auto const length = field(wire_.held().substr(0, *head), "content-length");
    if (!length) return chunks(*head);
    std::size_t size = 0;
    std::from_chars(length->data(), length->data() + length->size(), size);
    if (!wire_.hold(*head + size)) give_up("the connection broke");
    return wire_.held().substr(*head, size);
  }

 private:
  std::string_view chunks(std::size_t head) {
    joined_.clear();
    wire_.skip(head);
    for (;;) {
      auto const line = wire_.hold_until("\r\n");
      if (!line) give_up("the connection broke");
      std::size_t size = 0;
      std::from_chars(wire_.held().data(), wire_.held().data() + *line, size, 16);
      if (!wire_.hold(*line + size + 2)) give_up("the connection broke");
      joined_ += wire_.held().substr(*line, size);
      wire_.skip(*line + size + 2);
      if (size == 0) return joined_;
    }
  }

  Wire wire_;
  std::string joined_;
};

// A member that is a string without escapes.
inline std::string_view member(std::string_view text, std::string_view name) {
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

inline Pulled read_pull(std::string_view text) {
  Pulled pulled;
  constexpr std::string_view kKind = "\"kind\":\"";
  for (auto at = text.find(kKind); at != std::string_view::npos; at = text.find(kKind, at)) {
    ++pulled.frames;
    at += kKind.size();
    auto const rest = text.substr(at);
    pulled.ended = rest.starts_with("end\"");
    if (rest.starts_with("error") || rest.starts_with("close")) give_up(rest.substr(0, 300));
    // The payload follows at once, and has no quotation mark in it.
    auto const payload = rest.substr(0, 24);
    auto name = payload.find("\"b64\":\"");
    bool const is_base64 = name != std::string_view::npos;
    if (!is_base64) name = payload.find("\"text\":\"");
    if (name == std::string_view::npos) continue;
    auto const from = rest.find(":\"", name) + 2;
    auto const size = rest.find('"', from) - from;
    pulled.bytes += is_base64 ? size / 4 * 3 : size;
    at += from + size;
  }
  return pulled;
}

inline std::string pull_arguments(std::string_view view, std::string_view id, std::uint64_t next) {
  return fmt::format(
      R"({{"view":"{}","acks":{{"{}":{}}},"credit":{{"{}":4194304}},"maxBytes":1048576}})", view,
      id, next, id);
}

}  // namespace bench
