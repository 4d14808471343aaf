// One call of `http_request` from its arguments to its result: where to, with what, through the
// cache or over the road. The tools of streams take the same steps, one by one.
#pragma once

#include "src/http/cache.hpp"
#include "src/mcp/tool.hpp"
#include "src/pipeline/road.hpp"
#include "src/tools/backend.hpp"
#include "src/tools/http_request/app_request.hpp"
#include "src/tools/http_request/app_response.hpp"
#include "src/tools/http_request/cookie_jars.hpp"
#include "src/tools/http_request/sites.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::tools {

// Who calls which tool, and what policies call that.
struct Caller {
  RequestContext const& request;
  std::string_view tool{"http_request"};
  std::string_view operation{"http_request"};
};

// A call that may be made.
struct AppCall {
  AppRequest request;
  Target target;
  std::string owner;  // of cookies and of what is cached
  std::vector<std::string> dropped_headers;
  std::string body;
  pipeline::Limiter::Slot slot;
  http::CacheRequest cached;  // what the cache is asked; its headers are those of the first hop
  http::Cache::Plan plan;
  http::WallTime asked;
  std::string last_cookie;  // sent with the last hop

  Backend const& backend() const { return target.site->backend; }
};

// Shared by all loops; `road` must outlive it.
class AppGateway {
 public:
  using Now = std::function<http::WallTime()>;

  AppGateway(HttpRequestOptions options, pipeline::Road& road, Now now);

  // Whatever prevents an answer of the backend is a result with `isError`; only what is no fault
  // of the call (Cancelled, Internal) is a failure.
  Task<mcp::ToolResult> call(RequestContext const& request, json::Object const& arguments);

  // The steps of that, in their order.

  Result<AppCall> prepare(Caller const& caller, json::Object const& arguments);
  // What prepare() failed with, on record and as a result.
  Task<mcp::ToolResult> refuse(Caller const& caller, json::Object const& arguments,
                               Error const& why);
  // `call` may be nothing.
  static pipeline::Passage passage(Caller const& caller, AppCall const* call,
                                   json::Object const& arguments);
  // Without a value: it has to be sent.
  Task<std::optional<AppResponse>> from_cache(pipeline::Passage const& passage, AppCall& call);
  // What is sent. They refer to `call`, until the answer's head has come.
  pipeline::OutboundRequest outbound(AppCall& call);
  pipeline::SocketRequest socket(AppCall& call);
  // What came, without its body; and with it, through the cache.
  AppResponse head_of(AppCall const& call, url::Url const& url, bool redirected, int status) const;
  AppResponse received(AppCall& call, pipeline::OutboundAnswer answer);
  static Result<mcp::ToolResult> failure(Error const& error, pipeline::Passage const& passage);

 private:
  pipeline::UnsentCall refused(json::Object const& arguments, Error const& why);
  Task<AppResponse> answer(pipeline::Passage const& passage, AppCall& call);
  Task<void> record_cached(pipeline::Passage const& passage, AppCall const& call,
                           std::string_view reason, int status);
  bool cookies_go_to(AppCall const& call, url::Url const& url) const;
  void dress_hop(AppCall& call, url::Url const& url, http::Headers& headers);
  http::CacheableResponse settle(AppCall& call, pipeline::OutboundAnswer answer,
                                 http::ExchangeTimes times);

  HttpRequestOptions options_;
  pipeline::Road& road_;
  Now now_;
  Sites sites_;
  CookieJars jars_;
  http::Cache cache_;
};

}  // namespace sallyport::tools
