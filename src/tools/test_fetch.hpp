// For the tests of the tool `fetch`: a road that leads to a prepared answer.
#pragma once

#include "src/json/schema.hpp"
#include "src/mcp/call_context.hpp"
#include "src/tools/fetch.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

namespace sallyport::tools::test_fetch {

struct FakeContext final : mcp::CallContext {
  RequestContext about{.request_id = "r-1"};

  RequestContext const& request() const noexcept override { return about; }
  void progress(double, std::optional<double>, std::string_view) override {}
  void log(mcp::LogLevel, json::Value, std::string_view) override {}
  bool can_ask(mcp::InputKind) const override { return false; }
  Task<mcp::InputResponses> ask(mcp::InputRequests) override { co_return mcp::InputResponses{}; }
  Task<void> start_task() override { co_return Result<void>{}; }
  void release_connection(std::chrono::milliseconds) override {}
  void publish(mcp::Event) override {}
};

class FakeRoad final : public pipeline::Road {
 public:
  Task<pipeline::OutboundAnswer> send(pipeline::Passage const& passage,
                                      pipeline::OutboundRequest request) override {
    sent = std::move(request);
    operation = passage.operation;
    call_id = passage.call_id;
    SP_CO_TRY(auto url, url::Url::parse(final_url.empty() ? sent->url : final_url));
    if (failure) co_return *failure;
    co_return pipeline::OutboundAnswer{.url = std::move(url),
                                       .redirected = !final_url.empty(),
                                       .head = head,
                                       .body = body,
                                       .stats = {}};
  }

  Task<void> record_unsent(pipeline::Passage const&, pipeline::UnsentCall) override {
    co_return Result<void>{};
  }

  // What the next call is answered with.
  egress::ResponseHead head{.status = 200};
  std::string body;
  std::string final_url;  // where redirects led
  std::optional<Error> failure;

  // What was asked.
  std::optional<pipeline::OutboundRequest> sent;
  std::string operation;
  std::string call_id;
};

// A tool with its road, and the last result taken apart.
struct Fetching {
  FakeRoad road;
  FetchOptions options;
  Result<mcp::ToolResult> result = fail(Errc::Internal, "Not called.");

  void answer(std::string content_type, std::string body) {
    road.head.headers.set("Content-Type", std::move(content_type));
    road.body = std::move(body);
  }

  void call(json::Object arguments, test::Interrupt interrupt = test::Interrupt::Never) {
    if (!arguments.contains("url")) arguments["url"] = "https://example.com/page";
    auto const tool = fetch(options, road);
    FakeContext context;
    result = test::run(tool.handler(context, arguments), interrupt);
    check_structure(*tool.output_schema);
  }

  // Every answer has facts, and they are as the schema says.
  void check_structure(json::Value const& schema) const {
    if (!result) return;
    if (!result->is_error) ASSERT_TRUE(result->structured);
    if (!result->structured) return;
    auto const valid = json::Schema::compile(schema)->validate(*result->structured);
    EXPECT_TRUE(valid) << valid.error().message;
  }

  std::string text(std::size_t block = 0) const {
    if (!result || block >= result->content.size()) return {};
    auto const* const found = json::find_string(result->content[block].get_object(), "text");
    return found == nullptr ? std::string{} : std::string{json::view(*found)};
  }
  std::string_view type(std::size_t block = 0) const {
    return json::view(result->content.at(block).at("type").get_string());
  }
  json::Object const& facts() const { return result->structured.value().get_object(); }
};

}  // namespace sallyport::tools::test_fetch
