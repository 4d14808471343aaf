// For the tests of `http_request`: an app, and a road that leads to prepared answers.
#pragma once

#include "src/json/parse.hpp"
#include "src/json/schema.hpp"
#include "src/json/write.hpp"
#include "src/tools/http_request/app_gateway.hpp"
#include "src/tools/http_request/schemas.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::tools::test_app {

using namespace std::chrono_literals;

// A road that goes nowhere: it keeps what it is handed and gives what the test says, following
// redirects in the order of the answers.
struct FakeRoad final : pipeline::Road {
  struct Hop {
    std::string url;
    http::Headers headers;
  };
  std::vector<pipeline::OutboundRequest> sent;
  std::vector<Hop> hops;
  std::deque<std::pair<egress::ResponseHead, std::string>> answers;
  std::optional<Error> failure;
  std::vector<std::pair<pipeline::Passage, pipeline::UnsentCall>> unsent;
  Result<void> recorded;

  Task<void> record_unsent(pipeline::Passage const& passage, pipeline::UnsentCall call) override {
    unsent.emplace_back(passage, std::move(call));
    co_return recorded;
  }

  Task<pipeline::OutboundAnswer> send(pipeline::Passage const& passage,
                                      pipeline::OutboundRequest request) override {
    EXPECT_NE(passage.request, nullptr);
    EXPECT_EQ(passage.operation, "http_request");
    if (failure) co_return *failure;
    auto url = *url::Url::parse(request.url);
    bool redirected = false;
    while (true) {
      auto headers = request.headers;
      if (request.before_hop) request.before_hop(url, headers);
      hops.push_back({url.href(), headers});
      auto [head, body] = answers.empty()
                              ? std::pair{egress::ResponseHead{.status = 200}, std::string{}}
                              : answers.front();
      if (!answers.empty()) answers.pop_front();
      if (request.after_hop) request.after_hop(url, head);
      auto const* location = head.headers.find("location");
      if (request.redirects == pipeline::Redirects::Follow && location != nullptr) {
        url = *url::Url::parse(*location, &url);
        if (!request.may_redirect_to(url)) {
          co_return fail(Errc::PolicyDenied, "The redirect leads to a place that is not allowed.");
        }
        redirected = true;
        continue;
      }
      sent.push_back(std::move(request));
      co_return pipeline::OutboundAnswer{
          .url = url, .redirected = redirected, .head = head, .body = body};
    }
  }
};

inline url::Url url_of(std::string_view text) {
  return *url::Url::parse(text);
}

inline Backend shop() {
  return {
      .name = "shop", .base = url_of("https://api.example.com/v1"), .response_bytes = 1'000'000};
}

struct App {
  FakeRoad road;
  HttpRequestOptions options{.backends = {shop()}};
  http::WallTime now{1'772'323'200s};
  RequestContext about{.principal = {.id = "alice"}};
  std::unique_ptr<AppGateway> gateway;

  mcp::ToolResult call(std::string_view arguments) {
    if (!gateway) {
      gateway = std::make_unique<AppGateway>(options, road, [this] { return now; });
    }
    auto const parsed = json::parse(arguments);
    EXPECT_TRUE(parsed) << arguments;
    auto result = test::run(gateway->call(about, parsed->get_object()));
    EXPECT_TRUE(result) << result.error().message;
    if (result->structured) {
      auto const schema = json::Schema::compile(http_request_output_schema());
      EXPECT_TRUE(schema->validate(*result->structured));
    }
    return *result;
  }
  json::Object get(std::string_view arguments) {
    auto const result = call(arguments);
    EXPECT_FALSE(result.is_error) << json::to_text(result.content);
    return result.structured ? result.structured->get_object() : json::Object{};
  }
  std::string error(std::string_view arguments) {
    auto const result = call(arguments);
    EXPECT_TRUE(result.is_error) << arguments;
    return std::string{json::view(result.content.at(0).at("text").get_string())};
  }
  void answer(int status, http::Headers headers, std::string body = {}) {
    road.answers.push_back({{.status = status, .headers = std::move(headers)}, std::move(body)});
  }
};

inline std::string json_text(std::string_view text) {
  std::string out;
  json::write_string(text, out);
  return out;
}

}  // namespace sallyport::tools::test_app
