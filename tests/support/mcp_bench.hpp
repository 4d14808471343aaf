// An MCP server on one event loop that only runs when the test says so: no thread, no socket, no
// waiting for time to pass.
#pragma once

#include "src/base/event_loops.hpp"
#include "src/base/metrics.hpp"
#include "src/base/sealer.hpp"
#include "src/mcp/classify.hpp"
#include "src/mcp/dispatcher.hpp"
#include "src/mcp/outlet.hpp"
#include "src/mcp/request.hpp"
#include "src/mcp/server.hpp"

#include "tests/support/json_text.hpp"

#include <boost/asio/co_spawn.hpp>

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::test {

// Seals nothing: writes the context before the text, in clear. Who changes either is found out all
// the same, which is all that the tests of its users need.
class PlainSealer final : public Sealer {
 public:
  std::string seal(std::string_view text, std::string_view context) const override {
    return std::to_string(context.size()) + ":" + std::string{context} + std::string{text};
  }
  Result<std::string> open(std::string_view sealed, std::string_view context) const override {
    auto const prefix = std::to_string(context.size()) + ":" + std::string{context};
    if (!sealed.starts_with(prefix)) return fail(Errc::InvalidInput, "not sealed for this");
    return std::string{sealed.substr(prefix.size())};
  }
};

// Keeps what a request's peer would have received.
class RecordingOutlet final : public mcp::Outlet {
 public:
  void send(std::string message) override {
    sent.push_back(parsed_object(message));
    if (on_send) on_send();
  }
  void finish(mcp::Answer given) override {
    ++finished;
    status = given.http_status;
    if (!given.body.empty()) answer = parsed_object(given.body);
  }
  bool can_send() const override { return reachable; }

  // Of the answer; empty or 0 where it is the other kind, or none.
  json::Object result() const {
    auto const* found = json::find_object(answer, "result");
    return found == nullptr ? json::Object{} : *found;
  }
  int error_code() const {
    auto const* error = json::find_object(answer, "error");
    return error == nullptr ? 0 : static_cast<int>(error->at("code").get_int64());
  }
  std::string error_message() const {
    auto const* error = json::find_object(answer, "error");
    return error == nullptr ? "" : std::string{json::view(error->at("message").get_string())};
  }
  // The text of the first content block of a tool's result.
  std::string text() const {
    auto const found = result();
    auto const* content = json::find_array(found, "content");
    if (content == nullptr || content->empty()) return {};
    return std::string{json::view(content->at(0).at("text").get_string())};
  }
  // The methods of what was sent, in order.
  std::vector<std::string> sent_methods() const {
    std::vector<std::string> methods;
    for (auto const& each : sent) methods.emplace_back(json::view(each.at("method").get_string()));
    return methods;
  }

  std::vector<json::Object> sent;
  json::Object answer;
  int status{0};
  int finished{0};
  bool reachable{true};
  std::function<void()> on_send;
};

class McpBench {
 public:
  explicit McpBench(mcp::Registry::Builder builder, mcp::ServerOptions options = {})
      : server_{std::move(options), builder.build().value(), loops_, sealer_, metrics_} {}
  ~McpBench() { stop(); }
  McpBench(McpBench const&) = delete;
  McpBench& operator=(McpBench const&) = delete;

  mcp::Server& server() { return server_; }
  mcp::Dispatcher& dispatcher() { return server_.dispatcher(0); }
  Sealer const& sealer() const { return sealer_; }

  // Runs everything that is ready to run.
  void settle() { loops_.executor(0).context().poll(); }
  // Also waits for timers of the handlers, until the outlet has its answer.
  void wait(RecordingOutlet const& outlet) {
    while (outlet.finished == 0 &&
           loops_.executor(0).context().run_one_for(std::chrono::seconds{10}) > 0) {
    }
  }
  // Runs `action` on the loop, as a transport would.
  void on_loop(std::function<void()> action) {
    asio::post(loops_.executor(0), std::move(action));
    settle();
  }

  // Sends a request of 2026-07-28 and runs what is ready. `id` 0 takes the next free one.
  RecordingOutlet& modern(std::string_view method, std::string_view params = "{}",
                          std::string_view capabilities = "{}", std::int64_t id = 0) {
    return modern(method, parsed_object(params), parsed_object(capabilities), id);
  }
  RecordingOutlet& modern(std::string_view method, json::Object params, json::Object capabilities,
                          std::int64_t id = 0) {
    auto& meta = params["_meta"];
    if (!meta.is_object()) meta.emplace_object();
    meta.get_object()[mcp::meta::kProtocolVersion] = mcp::to_string(mcp::kModern);
    meta.get_object()[mcp::meta::kClientCapabilities] = std::move(capabilities);
    auto classified = mcp::classify(message(method, std::move(params), id), nullptr);
    auto& found = std::get<mcp::ModernRequest>(classified);
    auto request = mcp::modern_request(std::move(found.message), std::move(found.envelope),
                                       {.principal = principal});
    request.cancel_scope = cancel_scope;
    return handle(std::move(request));
  }

  std::shared_ptr<mcp::Session> open(mcp::Revision revision, std::string_view capabilities = "{}") {
    json::Object params{{"protocolVersion", mcp::to_string(revision)},
                        {"capabilities", parsed(capabilities)},
                        {"clientInfo", json::Object{{"name", "bench"}, {"version", "1"}}}};
    auto classified = mcp::classify(message("initialize", std::move(params), 0), nullptr);
    auto& legacy = std::get<mcp::LegacyMessage>(classified);
    auto opened =
        dispatcher().open_session(std::get<mcp::RequestMessage>(legacy.message), principal);
    initialized = parsed_object(opened.answer.body);
    return opened.session;
  }
  RecordingOutlet& legacy(std::shared_ptr<mcp::Session> const& session, std::string_view method,
                          std::string_view params = "{}", std::int64_t id = 0) {
    mcp::RequestMessage taken{next_id(id), std::string{method}, parsed_object(params)};
    return handle(mcp::legacy_request(std::move(taken), session, {.principal = principal}));
  }

  RecordingOutlet& handle(mcp::Request request) {
    auto& outlet = next_outlet();
    auto taken = std::make_shared<mcp::Request>(std::move(request));
    on_loop([this, &outlet, taken] { dispatcher().handle(std::move(*taken), outlet); });
    return outlet;
  }

  // The outlet of the request after this one: to prepare it.
  RecordingOutlet& prepare() {
    if (!prepared_) prepared_ = &outlets_.emplace_back();
    return *prepared_;
  }

  // The client's answer to the `index`th request that `outlet` was sent.
  void reply(std::shared_ptr<mcp::Session> const& session, RecordingOutlet const& outlet,
             std::size_t index, std::string_view result) {
    server_.deliver_reply(session->id(),
                          {.id = outlet.sent.at(index).at("id"), .result = parsed_object(result)});
    settle();
  }

  void stop() {
    bool done = false;
    asio::co_spawn(loops_.executor(0), server_.stop(),
                   [&](std::exception_ptr const&, Result<void> const&) { done = true; });
    while (!done) loops_.executor(0).context().run_one();
  }

  std::int64_t calls_in_flight() { return server_.counters().in_flight.value(); }

  Principal principal;
  std::string cancel_scope;
  json::Object initialized;  // the last answer to `initialize`

 private:
  json::Value next_id(std::int64_t id) { return id != 0 ? id : ++last_id_; }
  json::Value message(std::string_view method, json::Object params, std::int64_t id) {
    return json::Object{
        {"jsonrpc", "2.0"}, {"id", next_id(id)}, {"method", method}, {"params", std::move(params)}};
  }
  RecordingOutlet& next_outlet() {
    auto& outlet = prepare();
    prepared_ = nullptr;
    return outlet;
  }

  EventLoops loops_{1};
  PlainSealer sealer_;
  Metrics metrics_;
  mcp::Server server_;
  std::deque<RecordingOutlet> outlets_;
  RecordingOutlet* prepared_{nullptr};
  std::int64_t last_id_{1000};
};

}  // namespace sallyport::test
