// One call of `http_request` from its arguments to its result: where to, with what, through the
// cache or over the road.
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
#include <string>

namespace sallyport::tools {

// Shared by all loops; `road` must outlive it.
class AppGateway {
 public:
  using Now = std::function<http::WallTime()>;

  AppGateway(HttpRequestOptions options, pipeline::Road& road, Now now);

  // Whatever prevents an answer of the backend is a result with `isError`; only what is no fault
  // of the call (Cancelled, Internal) is a failure.
  Task<mcp::ToolResult> call(RequestContext const& request, json::Object const& arguments);

 private:
  struct Call;

  Result<Call> prepare(RequestContext const& request, json::Object const& arguments);
  pipeline::UnsentCall refused(json::Object const& arguments, Error const& why);
  Task<AppResponse> answer(pipeline::Passage const& passage, Call& call);
  Task<void> record_cached(pipeline::Passage const& passage, Call const& call,
                           std::string_view reason, int status);
  pipeline::OutboundRequest outbound(Call& call);
  bool cookies_go_to(Call const& call, url::Url const& url) const;
  void dress_hop(Call& call, url::Url const& url, http::Headers& headers);
  http::CacheableResponse settle(Call& call, pipeline::OutboundAnswer answer,
                                 http::ExchangeTimes times);

  HttpRequestOptions options_;
  pipeline::Road& road_;
  Now now_;
  Sites sites_;
  CookieJars jars_;
  http::Cache cache_;
};

}  // namespace sallyport::tools
