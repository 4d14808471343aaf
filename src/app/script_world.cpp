#include "src/app/script_world.hpp"

#include "src/app/script_socket.hpp"
#include "src/egress/body_pipe.hpp"
#include "src/js/frame.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::app {
namespace {

constexpr char const* kFetchIsOff =
    "fetch is off: there is no policy for it. An operator turns it on with a policy in "
    "policies.fetch (docs/policies.md).";
constexpr char const* kSocketsAreOff =
    "WebSocket is off: there is no policy for it. An operator turns it on with a policy in "
    "policies.websocket (docs/policies.md).";

class RoadAnswer final : public js::FetchAnswer {
 public:
  explicit RoadAnswer(std::unique_ptr<pipeline::OutboundStream> stream)
      : stream_{std::move(stream)} {}

  int status() const override { return stream_->head().status; }
  std::string const& reason() const override { return stream_->head().reason; }
  http::Headers const& headers() const override { return stream_->head().headers; }
  std::string url() const override { return stream_->url().href(); }
  bool redirected() const override { return stream_->redirected(); }
  Task<std::optional<std::string>> next() override { return stream_->next(); }

 private:
  std::unique_ptr<pipeline::OutboundStream> stream_;
};

pipeline::Redirects redirects_of(std::string_view mode) {
  if (mode == "error") return pipeline::Redirects::Refuse;
  return mode == "manual" ? pipeline::Redirects::Manual : pipeline::Redirects::Follow;
}

// https://fetch.spec.whatwg.org/#forbidden-request-header has more of them; the road refuses those
// to everybody.
std::optional<Error> cookie_refusal(http::Headers const& headers) {
  for (auto const* const name : {"Cookie", "Cookie2", "Set-Cookie"}) {
    if (headers.find(name) == nullptr) continue;
    return sallyport::fail(Errc::InvalidInput,
                           fmt::format("The header \"{}\" cannot be set by a script: servers trust "
                                       "that only a browser sets it.",
                                       name));
  }
  return std::nullopt;
}

class RoadFetch final : public js::Fetch {
 public:
  RoadFetch(pipeline::Road& road, pipeline::Passage passage, pipeline::OutboundRequest request,
            js::FetchCall const& call)
      : road_{road}, passage_{std::move(passage)}, request_{std::move(request)} {
    if (!call.has_body) return;
    auto ends = egress::make_body_pipe(call.body_bytes);
    writer_.emplace(std::move(ends.writer));
    request_.upload = std::move(ends.pipe);
  }

  Task<void> write(std::string piece) override { return writer_->write(std::move(piece)); }
  Result<void> finish() override { return writer_->finish(); }
  void fail(Error why) override { writer_->fail(std::move(why)); }

  Task<std::unique_ptr<js::FetchAnswer>> answer() override {
    if (auto refusal = cookie_refusal(request_.headers)) {
      pipeline::UnsentCall call{
          .method = request_.method, .url = request_.url, .refusal = std::move(refusal)};
      auto why = *call.refusal;
      SP_CO_CHECK(co_await road_.record_unsent(passage_, std::move(call)));
      co_return why;
    }
    SP_CO_TRY(auto stream, co_await road_.open(std::move(passage_), std::move(request_)));
    co_return std::make_unique<RoadAnswer>(std::move(stream));
  }

 private:
  pipeline::Road& road_;
  pipeline::Passage passage_;
  pipeline::OutboundRequest request_;
  std::optional<egress::BodyWriter> writer_;
};

class ScriptWorld final : public js::World {
 public:
  ScriptWorld(ScriptReach const& reach, ScriptWays ways, RequestContext caller)
      : reach_{reach}, ways_{ways}, caller_{std::move(caller)} {}

  js::Available can_fetch() const override {
    return reach_.fetch ? js::Available{} : js::Available{kFetchIsOff};
  }
  js::Available can_open_sockets() const override {
    return reach_.sockets ? js::Available{} : js::Available{kSocketsAreOff};
  }
  js::Available can_call_tools() const override { return ways_.tools.available(); }

  std::unique_ptr<js::Fetch> fetch(js::FetchCall call) override {
    pipeline::OutboundRequest request;
    request.method = std::move(call.method);
    request.url = std::move(call.url);
    request.headers = std::move(call.headers);
    request.redirects = redirects_of(call.redirect);
    request.max_redirects = reach_.max_redirects;
    request.timeout = reach_.timeout;
    request.request_bytes = reach_.request_bytes;
    request.response_bytes = reach_.response_bytes;
    return std::make_unique<RoadFetch>(ways_.road, passage("fetch"), std::move(request), call);
  }

  Task<std::unique_ptr<js::Socket>> connect(js::SocketCall call) override {
    pipeline::SocketRequest request;
    request.url = std::move(call.url);
    request.protocols = std::move(call.protocols);
    request.timeout = reach_.timeout;
    request.message_bytes = js::kLargestPayload - 1;
    return open_script_socket(ways_.road, passage("websocket"), std::move(request));
  }

  Task<json::Value> call_tool(std::string server, std::string tool,
                              json::Object arguments) override {
    return ways_.tools.call(caller_, std::move(server), std::move(tool), std::move(arguments));
  }
  Task<json::Value> list_tools(std::optional<std::string> server) override {
    return ways_.tools.list(std::move(server));
  }

 private:
  pipeline::Passage passage(std::string operation) const {
    return {.request = &caller_,
            .operation = std::move(operation),
            .purpose = "run_js",
            .tool = "run_js"};
  }

  ScriptReach reach_;
  ScriptWays ways_;
  RequestContext caller_;
};

}  // namespace

std::unique_ptr<js::World> make_script_world(ScriptReach const& reach, ScriptWays ways,
                                             RequestContext caller) {
  return std::make_unique<ScriptWorld>(reach, ways, std::move(caller));
}

}  // namespace sallyport::app
