// For tests of the client: a server that says what it was told to.
#pragma once

#include "src/base/signal.hpp"
#include "src/json/parse.hpp"
#include "src/mcp/client/wire.hpp"

#include "tests/support/mcp_bench.hpp"

#include <deque>
#include <functional>
#include <map>

namespace sallyport::mcp::client {

// What it says to one message.
struct Script {
  int status{200};
  std::string session{};
  std::vector<std::string> messages{};  // {id} stands for the id of the request
  bool goes_on{false};                  // says nothing more, and does not end
  std::chrono::milliseconds pause{0};   // before each message
};

class ScriptedConversation final : public Conversation {
 public:
  ScriptedConversation(Script script, Executor executor, int& open)
      : script_{std::move(script)}, silence_{executor}, open_{open} {
    reception_ = {.status = script_.status, .session = script_.session};
    ++open_;
  }
  ~ScriptedConversation() override { --open_; }

  Reception const& reception() const noexcept override { return reception_; }

  Task<std::optional<Message>> next() override {
    if (at_ < script_.messages.size()) {
      Timer pause{co_await asio::this_coro::executor, script_.pause};
      if (script_.pause.count() > 0) co_await pause.async_wait(use_tuple);
      co_return read_message(json::parse(script_.messages[at_++]).value());
    }
    while (script_.goes_on) SP_CO_CHECK(co_await silence_.wait());
    co_return std::optional<Message>{};
  }

 private:
  Script script_;
  Reception reception_;
  std::size_t at_{0};
  Signal silence_;
  int& open_;
};

class ScriptedWire final : public Wire {
 public:
  bool is_http() const noexcept override { return http; }

  Task<std::unique_ptr<Conversation>> post(Post post) override {
    auto const message = test::parsed_object(post.message);
    auto const* const method = json::find_string(message, "method");
    std::string const name = method == nullptr ? "reply" : std::string{json::view(*method)};
    posts.push_back({name, message, post.headers});
    Script script{.status = 202};
    if (auto& scripts = says[name]; !scripts.empty()) {
      script = scripts.front();
      if (scripts.size() > 1) scripts.pop_front();
    }
    for (auto& text : script.messages) put_id(text, post.id);
    auto const executor = co_await asio::this_coro::executor;
    if (script.status == 0) co_return fail(Errc::UpstreamFailed, "Nobody is there.");
    co_return std::make_unique<ScriptedConversation>(std::move(script), executor, open);
  }

  Task<std::unique_ptr<Conversation>> listen(MessageHeaders) override {
    auto const executor = co_await asio::this_coro::executor;
    co_return std::make_unique<ScriptedConversation>(stray, executor, open);
  }
  Task<bool> fall_back() override { co_return falls_back; }
  Task<void> end_session(MessageHeaders headers) override {
    posts.push_back({"end", {}, std::move(headers)});
    co_return Result<void>{};
  }

  struct Seen {
    std::string method;
    json::Object message;
    MessageHeaders headers;

    std::string header(std::string_view name) const {
      for (auto const& [key, value] : headers) {
        if (key == name) return value;
      }
      return {};
    }
    json::Object params() const {
      auto const* const found = json::find_object(message, "params");
      return found == nullptr ? json::Object{} : *found;
    }
  };
  std::vector<std::string> methods() const {
    std::vector<std::string> all;
    for (auto const& each : posts) all.push_back(each.method);
    return all;
  }

  bool http{true};
  bool falls_back{false};
  std::map<std::string, std::deque<Script>> says;  // by method; the last one again and again
  Script stray;
  std::vector<Seen> posts;
  int open{0};  // conversations

 private:
  static void put_id(std::string& text, json::Value const& id) {
    auto const at = text.find("{id}");
    if (at != std::string::npos) text.replace(at, 4, json::to_text(id));
  }
};

}  // namespace sallyport::mcp::client
