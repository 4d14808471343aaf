// For the tests of the tools of streams: an app with a view, and a road that leads to origins that
// say what the test says.
#pragma once

#include "src/json/parse.hpp"
#include "src/json/schema.hpp"
#include "src/json/write.hpp"
#include "src/stream/test_streams.hpp"
#include "src/tools/http_request.hpp"
#include "src/tools/http_request/test_app.hpp"

#include <map>

namespace sallyport::tools::test_app {

using stream::test_streams::FakeSocket;
using stream::test_streams::Script;

// A body that a script says, behind a head that the test says.
class ScriptedStream final : public pipeline::OutboundStream {
 public:
  ScriptedStream(std::shared_ptr<Script> script, url::Url url, egress::ResponseHead head)
      : body_{std::move(script)}, url_{std::move(url)}, head_{std::move(head)} {}

  url::Url const& url() const noexcept override { return url_; }
  bool redirected() const noexcept override { return false; }
  egress::ResponseHead& head() noexcept override { return head_; }
  egress::ExchangeStats stats() const override { return {}; }
  Task<std::optional<std::string>> next() override { return body_.next(); }
  Task<void> close() override { return body_.close(); }

 private:
  stream::test_streams::FakeOrigin body_;
  url::Url url_;
  egress::ResponseHead head_;
};

struct StreamRoad final : pipeline::Road {
  egress::ResponseHead head{.status = 200};
  std::shared_ptr<Script> script{std::make_shared<Script>()};
  std::shared_ptr<FakeSocket> socket;
  std::optional<Error> failure;
  std::vector<pipeline::OutboundRequest> opened;
  std::vector<pipeline::SocketRequest> connected;
  std::vector<std::string> operations;
  std::vector<pipeline::UnsentCall> unsent;
  bool upload_first{false};  // the head comes after the body was taken
  std::string uploaded;

  Task<pipeline::OutboundAnswer> send(pipeline::Passage const&,
                                      pipeline::OutboundRequest) override {
    co_return fail(Errc::Internal, "nobody sends without a stream here");
  }
  Task<void> record_unsent(pipeline::Passage const&, pipeline::UnsentCall call) override {
    unsent.push_back(std::move(call));
    co_return Result<void>{};
  }
  Task<std::unique_ptr<pipeline::OutboundStream>> open(pipeline::Passage passage,
                                                       pipeline::OutboundRequest request) override {
    EXPECT_EQ(passage.request->deadline.at, Clock::time_point::max());
    operations.push_back(passage.tool + " " + passage.operation);
    auto url = *url::Url::parse(request.url);
    if (request.before_hop) request.before_hop(url, request.headers);
    if (request.after_hop) request.after_hop(url, head);
    if (request.upload) {
      auto const took = co_await take_upload(*request.upload);
      if (!took) co_return took.error();
    }
    opened.push_back(std::move(request));
    if (failure) co_return *failure;
    std::unique_ptr<pipeline::OutboundStream> stream =
        std::make_unique<ScriptedStream>(script, url, head);
    co_return stream;
  }
  Task<std::unique_ptr<pipeline::OutboundSocket>> connect(
      pipeline::Passage passage, pipeline::SocketRequest request) override {
    operations.push_back(passage.tool + " " + passage.operation);
    connected.push_back(std::move(request));
    if (failure) co_return *failure;
    auto made = std::make_unique<FakeSocket>();
    socket_view = made.get();
    std::unique_ptr<pipeline::OutboundSocket> given = std::move(made);
    co_return given;
  }
  FakeSocket* socket_view{nullptr};

 private:
  Task<void> take_upload(egress::BodyPipe& pipe) {
    Timer pause{co_await asio::this_coro::executor};
    std::array<char, 4096> buffer{};
    for (;;) {
      auto const taken = pipe.take(buffer);
      uploaded.append(buffer.data(), taken.bytes);
      if (taken.flow == egress::BodyPipe::Flow::End) co_return Result<void>{};
      if (taken.flow == egress::BodyPipe::Flow::Failed) co_return *pipe.failure();
      if (taken.flow == egress::BodyPipe::Flow::Bytes) continue;
      pause.expires_after(1ms);
      co_await pause.async_wait(use_tuple);
    }
  }
};

// Keeps what a client would hear.
struct FakeContext final : mcp::CallContext {
  RequestContext about{.principal = {.id = "alice"}};
  bool wants_progress{false};
  bool reachable{true};
  std::size_t unheard{0};
  std::vector<std::pair<double, std::string>> heard;
  std::vector<std::pair<std::string, std::string>> notified;

  RequestContext const& request() const noexcept override { return about; }
  void progress(double done, std::optional<double>, std::string_view) override {
    heard.emplace_back(done, "");
  }
  bool hears_progress() const override { return wants_progress && reachable; }
  bool hears_notifications() const override { return reachable; }
  std::size_t unheard_bytes() const override { return unheard; }
  void progress_with(double done, std::string_view meta) override {
    heard.emplace_back(done, std::string{meta});
  }
  void notify(std::string_view method, std::string_view params) override {
    notified.emplace_back(method, params);
  }
  void log(mcp::LogLevel, json::Value, std::string_view) override {}
  bool can_ask(mcp::InputKind) const override { return false; }
  Task<mcp::InputResponses> ask(mcp::InputRequests) override {
    co_return fail(Errc::ClientCapabilityMissing, "nobody to ask");
  }
  Task<void> start_task() override { co_return Result<void>{}; }
  void release_connection(std::chrono::milliseconds) override {}
  void publish(mcp::Event) override {}
};

class StreamToolsTest : public stream::test_streams::StreamTest {
 protected:
  static constexpr auto* kView = "0123456789abcdef";

  // The tool's result as a client sees it: its structured part, or its error.
  struct Got {
    json::Object facts;
    bool is_error{false};
    std::string code;
    std::string message;

    std::string text(std::string_view name) const {
      return std::string{json::view(facts.at(name).as_string())};
    }
    json::Array const& frames() const { return facts.at("frames").as_array(); }
  };

  // `arguments` without the braces; the view is added.
  Got call(std::string const& name, std::string const& arguments) {
    if (tools_.empty()) {
      for (auto& tool : app_tools(options_, road_, &views(), streams_)) {
        auto const tool_name = tool.name;
        tools_.emplace(tool_name, std::move(tool));
      }
    }
    auto const parsed = json::parse("{\"view\":\"" + view_ + "\"" + (arguments.empty() ? "" : ",") +
                                    arguments + "}");
    EXPECT_TRUE(parsed) << arguments;
    auto const& tool = tools_.at(name);
    EXPECT_TRUE(json::Schema::compile(tool.input_schema)->validate(*parsed)) << arguments;
    auto const result = run(tool.handler(context, parsed->get_object()));
    EXPECT_TRUE(result) << result.error().message;
    if (!result) return {};
    Got got{.is_error = result->is_error};
    if (!result->structured_text.empty()) {
      got.facts = json::parse(result->structured_text)->get_object();
    } else if (result->structured) {
      got.facts = result->structured->get_object();
    }
    if (auto const* error = json::find_object(result->meta, "sallyport/error")) {
      got.code = json::view(error->at("code").get_string());
      got.message = json::view(error->at("message").get_string());
    }
    return got;
  }

  FakeContext context;
  StreamRoad road_;
  HttpRequestOptions options_{.backends = {shop()}};
  StreamOptions streams_;
  std::string view_{kView};
  std::map<std::string, mcp::Tool> tools_;
};

}  // namespace sallyport::tools::test_app
