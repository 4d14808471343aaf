// An MCP server of the new era that offers what a test says, and remembers what it was asked.
//
//   SmallMcpServer server;
//   server.tools = R"([{"name":"echo","inputSchema":{"type":"object"}}])";
#pragma once

#include "src/json/parse.hpp"
#include "src/json/write.hpp"

#include "tests/support/request_log.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>

namespace sallyport::test {

class SmallMcpServer {
 public:
  std::uint16_t port() const { return origin_.port(); }
  std::string url() const { return fmt::format("http://127.0.0.1:{}/mcp", port()); }

  // The text of the list of tools.
  void offer(std::string tools) {
    std::lock_guard const lock{mutex_};
    tools_ = std::move(tools);
  }
  // The text of the result of a method, "server/discover" among them.
  void answer(std::string method, std::string result) {
    std::lock_guard const lock{mutex_};
    results_[std::move(method)] = std::move(result);
  }
  // Instead of everything else: what it answers to a whole request. Empty: what it would say.
  void answer_with(std::function<std::string(std::string const& request)> answer) {
    std::lock_guard const lock{mutex_};
    instead_ = std::move(answer);
  }
  RequestLog const& log() const noexcept { return log_; }
  // How often a method was asked for.
  std::size_t count(std::string_view method) const {
    std::size_t found = 0;
    for (auto const& request : log_.all()) found += method_of(request) == method ? 1U : 0U;
    return found;
  }

 private:
  static json::Object message_of(std::string const& request) {
    auto const body = request.find("\r\n\r\n");
    auto const value = json::parse(std::string_view{request}.substr(body + 4));
    return value && value->is_object() ? value->get_object() : json::Object{};
  }
  static std::string method_of(std::string const& request) {
    auto const message = message_of(request);
    auto const* const method = json::find_string(message, "method");
    return method == nullptr ? std::string{} : std::string{json::view(*method)};
  }
  static std::string json_answer(json::Object const& message, std::string const& result) {
    auto const* const id = json::find(message, "id");
    if (id == nullptr) return "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n";
    return Origin::ok(
        fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", json::to_text(*id), result),
        "Content-Type: application/json\r\n");
  }

  std::string answer(std::string const& request) {
    std::lock_guard const lock{mutex_};
    if (instead_) {
      if (auto text = instead_(request); !text.empty()) return text;
    }
    auto const message = message_of(request);
    auto const method = method_of(request);
    auto const told = results_.find(method);
    if (told != results_.end()) return json_answer(message, told->second);
    if (method == "server/discover") {
      return json_answer(message, R"({"resultType":"complete","supportedVersions":["2026-07-28"],
          "capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","_meta":{}})");
    }
    if (method == "tools/list") {
      return json_answer(message, R"({"resultType":"complete","ttlMs":1000,"cacheScope":"private",)"
                                  R"("tools":)" +
                                      tools_ + "}");
    }
    if (method == "tools/call") {
      return json_answer(message, R"({"resultType":"complete","content":[{"type":"text",)"
                                  R"("text":"called"}]})");
    }
    return "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
  }

  mutable std::mutex mutex_;
  std::string tools_{
      R"([{"name":"echo","description":"Repeats","inputSchema":{"type":"object"}}])"};
  std::map<std::string, std::string> results_;
  std::function<std::string(std::string const&)> instead_;
  RequestLog log_;
  Origin origin_{log_.answering([this](std::string const& request) { return answer(request); })};
};

}  // namespace sallyport::test
