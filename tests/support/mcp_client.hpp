// MCP messages over HTTP as a test writes them: exactly, and mostly by default.
#pragma once

#include "src/json/parse.hpp"

#include "tests/support/raw_client.hpp"

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::test {

using Fields = std::vector<std::pair<std::string, std::string>>;

// A request with the usual fields; `fields` replace those of the same name, and remove them where
// the value is empty.
inline std::string http_request(std::string_view method, std::string_view path, Fields fields,
                                std::string_view body = {}) {
  Fields all{{"Host", "127.0.0.1"}, {"Accept", "application/json, text/event-stream"}};
  if (method == "POST") all.emplace_back("Content-Type", "application/json");
  for (auto& field : fields) {
    std::erase_if(all, [&](auto const& each) { return each.first == field.first; });
    if (!field.second.empty()) all.push_back(std::move(field));
  }
  std::string text{method};
  text.append(" ").append(path).append(" HTTP/1.1\r\n");
  for (auto const& [name, value] : all) text += name + ": " + value + "\r\n";
  if (method == "POST") text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  return text.append("\r\n").append(body);
}

inline std::string post(std::string_view body, Fields fields = {}) {
  return http_request("POST", "/mcp", std::move(fields), body);
}

// A request of 2026-07-28. `params` are the members besides `_meta`; `meta` those besides version
// and capabilities.
struct Modern {
  std::string method;
  std::string params{};
  std::string name{};  // Mcp-Name
  std::string id{"1"};
  std::string capabilities{"{}"};
  std::string meta{};
  std::string version{"2026-07-28"};
  Fields fields{};

  std::string body() const {
    std::string text = R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":")" + method +
                       R"(","params":{)" + params + (params.empty() ? "" : ",");
    text += R"("_meta":{"io.modelcontextprotocol/protocolVersion":")" + version +
            R"(","io.modelcontextprotocol/clientCapabilities":)" + capabilities;
    if (!meta.empty()) text += "," + meta;
    return text + "}}}";
  }

  std::string http() const {
    Fields all{{"MCP-Protocol-Version", version}, {"Mcp-Method", method}};
    if (!name.empty()) all.emplace_back("Mcp-Name", name);
    for (auto const& field : fields) {
      std::erase_if(all, [&](auto const& each) { return each.first == field.first; });
      all.push_back(field);
    }
    return post(body(), std::move(all));
  }
};

inline Modern modern_call(std::string const& tool, std::string const& arguments = "{}") {
  return {.method = "tools/call",
          .params = R"("name":")" + tool + R"(","arguments":)" + arguments,
          .name = tool};
}

inline Modern modern_listen() {
  return {.method = "subscriptions/listen",
          .params = R"("notifications":{"toolsListChanged":true})"};
}

inline std::string legacy(std::string_view id, std::string_view method,
                          std::string_view params = "{}") {
  std::string text = R"({"jsonrpc":"2.0","id":)";
  text.append(id).append(R"(,"method":")").append(method).append(R"(","params":)");
  return text.append(params).append("}");
}

inline std::string legacy_call(std::string_view id, std::string_view tool,
                               std::string_view arguments = "{}", std::string_view meta = "{}") {
  std::string params = R"({"name":")";
  params.append(tool).append(R"(","arguments":)").append(arguments);
  params.append(R"(,"_meta":)").append(meta).append("}");
  return legacy(id, "tools/call", params);
}

inline std::string initialize(std::string_view revision, std::string_view capabilities = "{}") {
  std::string params = R"({"protocolVersion":")";
  params.append(revision).append(R"(","capabilities":)").append(capabilities);
  params.append(R"(,"clientInfo":{"name":"test","version":"1"}})");
  return legacy("0", "initialize", params);
}

constexpr std::string_view kProgress = R"({"progressToken":"t"})";

inline json::Object parsed(std::string_view text) {
  auto value = json::parse(text);
  return value && value->is_object() ? value->get_object() : json::Object{};
}

// The code of a JSON-RPC error; 0 when there is none.
inline std::int64_t code_of(std::string_view text) {
  auto const object = parsed(text);
  auto const* error = json::find_object(object, "error");
  auto const* code = error == nullptr ? nullptr : json::find(*error, "code");
  return code != nullptr && code->is_int64() ? code->get_int64() : 0;
}

inline std::string header(RawResponse const& response, std::string_view name) {
  auto const at = response.head.find("\r\n" + std::string{name} + ": ");
  if (at == std::string::npos) return {};
  auto const begin = at + name.size() + 4;
  return response.head.substr(begin, response.head.find("\r\n", begin) - begin);
}

struct SseMessage {
  std::string event;
  std::string id;
  std::string data;
  std::optional<int> retry;
};

// A request whose answer is read event by event.
class EventClient {
 public:
  EventClient(std::uint16_t port, std::string_view request, int receive_buffer = 0)
      : client_{port, receive_buffer} {
    client_.send(request);
    head_ = client_.receive(false);
  }

  RawResponse const& head() const { return head_; }
  RawClient& connection() { return client_; }

  // nullopt: the stream has ended. Comments are counted, not given.
  std::optional<SseMessage> next() {
    while (true) {
      auto const end = text_.find("\n\n");
      if (end != std::string::npos) {
        auto const block = text_.substr(0, end);
        text_.erase(0, end + 2);
        if (!block.starts_with(":")) return read(block);
        ++comments_;
        continue;
      }
      auto chunk = client_.receive_chunk();
      if (!chunk) return std::nullopt;
      text_ += *chunk;
    }
  }

  // The next event that has data; empty when the stream has ended.
  std::string data() {
    while (auto const event = next()) {
      if (!event->id.empty()) last_id_ = event->id;
      if (!event->data.empty()) return event->data;
    }
    return {};
  }

  std::string const& last_id() const { return last_id_; }
  int comments() const { return comments_; }
  void wait_for_comments(int count) {
    while (comments_ < count) {
      auto chunk = client_.receive_chunk();
      if (!chunk) return;
      if (chunk->starts_with(":"))
        ++comments_;
      else
        text_ += *chunk;
    }
  }
  // Whether the answer came to its announced end.
  bool ended_well() const { return client_.last_chunk_seen(); }

 private:
  static SseMessage read(std::string_view block) {
    SseMessage message;
    while (!block.empty()) {
      auto const line = block.substr(0, block.find('\n'));
      block.remove_prefix(std::min(block.size(), line.size() + 1));
      auto const colon = line.find(": ");
      auto const name = line.substr(0, colon);
      auto const value = colon == std::string_view::npos ? "" : line.substr(colon + 2);
      if (name == "event") message.event = value;
      if (name == "id") message.id = value;
      if (name == "data") message.data += value;
      if (name == "retry") message.retry = std::stoi(std::string{value});
    }
    return message;
  }

  RawClient client_;
  RawResponse head_;
  std::string text_;
  std::string last_id_;
  int comments_{0};
};

}  // namespace sallyport::test
