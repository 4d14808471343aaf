// The tools of streams in the whole service, as an app's page uses them: one view, pulls and pushes
// on connections of their own, so that they come in on every loop.
#pragma once

#include "src/base/base64.hpp"

#include "tests/integration/http_request_fixture.hpp"

#include <fmt/format.h>

#include <map>
#include <string>

namespace sallyport::test {

class StreamsTest : public HttpRequestTest {
 protected:
  static constexpr auto* kView = "a-view-of-the-test";

  // `arguments` without the view.
  AppReply tool(std::string const& name, json::Object arguments,
                std::string const& token = kAlice) {
    arguments["view"] = kView;
    auto const response = ask_as(token, modern_call(name, json::to_text(arguments)));
    EXPECT_EQ(response.status, 200) << response.body.substr(0, 1000);
    auto const message = parsed(response.body);
    auto const* result = json::find_object(message, "result");
    EXPECT_NE(result, nullptr) << response.body.substr(0, 1000);
    return {result == nullptr ? json::Object{} : *result};
  }

  std::string open_stream(json::Object arguments) {
    auto const reply = tool("http_request_stream", std::move(arguments));
    EXPECT_FALSE(reply.is_error()) << json::to_text(reply.result);
    if (reply.is_error()) return {};
    return std::string{json::view(reply.facts().at("streamId").as_string())};
  }

  // What comes of a stream, handed on frame by frame until its last one.
  struct Ended {
    std::string kind;
    std::uint64_t bytes{0};
    std::uint64_t frames{0};
    bool in_order{true};
  };
  template <class OnBytes>
  Ended pull_all(std::string const& id, OnBytes const& on_bytes, std::size_t max_bytes = 1 << 20U) {
    Ended ended;
    while (ended.kind.empty()) {
      auto const reply = tool(
          "stream_pull",
          {{"acks", json::Object{{id, ended.frames}}}, {"maxBytes", max_bytes}, {"waitMs", 9000}});
      if (reply.is_error() || !reply.facts().at("closed").as_array().empty()) {
        ended.kind = "lost";
        break;
      }
      for (auto const& frame : reply.facts().at("frames").as_array()) {
        ended.in_order =
            ended.in_order && frame.at("seq").to_number<std::uint64_t>() == ended.frames;
        ++ended.frames;
        auto const kind = json::view(frame.at("kind").as_string());
        if (kind == "end" || kind == "error" || kind == "close") ended.kind = kind;
        auto const* data = json::find_string(frame.as_object(), "b64");
        if (data == nullptr) continue;
        auto const bytes = base64::decode(json::view(*data));
        ended.bytes += bytes->size();
        on_bytes(*bytes);
      }
    }
    tool("stream_pull", {{"acks", json::Object{{id, ended.frames}}}, {"waitMs", 0}});
    return ended;
  }

  std::int64_t open_streams() {
    return tool("stream_pull", {{"waitMs", 0}, {"maxBytes", 1}})
        .facts()
        .at("open")
        .to_number<std::int64_t>();
  }
};

}  // namespace sallyport::test
