#include "src/tools/http_request/app_gateway.hpp"

#include "src/http/chars.hpp"
#include "src/pipeline/redirect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

namespace sallyport::tools {
namespace {

constexpr std::string_view kNotCached = "not in the cache, and nothing else was to be asked";

std::string cache_key(url::Url const& url) {
  return url.without_fragment().href();
}

// Jars and cache entries of one principal are nobody else's; those of two backends are apart.
std::string owner_of(Principal const& principal, Backend const& backend) {
  return fmt::format("{}\n{}", principal.key(), backend.name);
}

Result<void> check_method(std::string const& method, Backend const& backend) {
  if (std::ranges::find(backend.methods, method) != backend.methods.end()) return {};
  return fail(Errc::PolicyDenied,
              fmt::format("{} does not offer the method {}; it offers {}.", backend.name, method,
                          fmt::join(backend.methods, ", ")));
}

std::vector<egress::Opening> openings(Backend const& backend) {
  if (!backend.private_network) return {};
  return {egress::Opening::to(backend.base)};
}

// URLs whose stored answers an unsafe request made doubtful (RFC 9111, section 4.4).
std::vector<std::string> also_changed(pipeline::OutboundAnswer const& answer) {
  std::vector<std::string> keys;
  for (auto const* name : {"location", "content-location"}) {
    auto const* value = answer.head.headers.find(name);
    if (value == nullptr) continue;
    auto const url = url::Url::parse(*value, &answer.url);
    if (url && url::same_origin(*url, answer.url)) keys.push_back(cache_key(*url));
  }
  return keys;
}

std::string text_argument(json::Object const& arguments, std::string_view name) {
  auto const* text = json::find_string(arguments, name);
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

// For the record of a call that named one which there may not be.
std::string asked_backend(json::Object const& arguments) {
  constexpr std::size_t kLongestName = 64;
  return text_argument(arguments, "backend").substr(0, kLongestName);
}

Error with_advice(Error error, Backend const& backend) {
  // Of all limits this is the one that the operator sets per backend.
  if (error.code == Errc::LimitExceeded && error.message.starts_with("The answer is larger")) {
    error.message = fmt::format(
        "The answer is larger than the inline limit of {} bytes. Ask for less, or ask the operator "
        "to raise response_bytes of {}.",
        backend.response_bytes, backend.name);
  }
  return error;
}

}  // namespace

AppGateway::AppGateway(HttpRequestOptions options, pipeline::Road& road, Now now)
    : options_{std::move(options)},
      road_{road},
      now_{std::move(now)},
      sites_{options_},
      jars_{options_.cookies_per_principal},
      cache_{{.partition_bytes = options_.cache_bytes_per_principal}} {}

pipeline::Passage AppGateway::passage(Caller const& caller, AppCall const* call,
                                      json::Object const& arguments) {
  return {.request = &caller.request,
          .operation = std::string{caller.operation},
          .purpose = std::string{caller.operation},
          .tool = std::string{caller.tool},
          .server = call != nullptr ? call->backend().name : asked_backend(arguments)};
}

Task<mcp::ToolResult> AppGateway::call(RequestContext const& request,
                                       json::Object const& arguments) {
  Caller const caller{.request = request};
  auto call = prepare(caller, arguments);
  if (!call) co_return co_await refuse(caller, arguments, call.error());
  auto const about = passage(caller, &*call, arguments);
  auto const response = co_await answer(about, *call);
  if (response) co_return to_result(*response);
  co_return failure(with_advice(response.error(), call->backend()), about);
}

Result<mcp::ToolResult> AppGateway::failure(Error const& error, pipeline::Passage const& passage) {
  if (error.code == Errc::Cancelled || error.code == Errc::Internal) return error;
  return to_result(error, passage.call_id);
}

Task<mcp::ToolResult> AppGateway::refuse(Caller const& caller, json::Object const& arguments,
                                         Error const& why) {
  auto const about = passage(caller, nullptr, arguments);
  auto unsent = refused(arguments, why);
  auto const recorded = co_await road_.record_unsent(about, std::move(unsent));
  auto const& error = recorded ? why : recorded.error();
  if (error.code == Errc::Cancelled || error.code == Errc::Internal) co_return error;
  co_return to_result(error, about.call_id);
}

Result<AppCall> AppGateway::prepare(Caller const& caller, json::Object const& arguments) {
  SP_TRY(auto wanted, read_app_request(arguments, options_));
  SP_TRY(auto target, sites_.resolve(wanted.url, wanted.backend));
  auto const& backend = target.site->backend;
  SP_CHECK(check_method(wanted.method, backend));
  auto headers = wanted.headers;
  SP_TRY(auto dropped, filter_headers(backend, headers));
  SP_TRY(auto body, take_body(wanted, backend, headers));
  auto const principal = caller.request.principal.key();
  SP_TRY(auto slot, target.site->limiter.enter({.principal = principal,
                                                .tool = caller.tool,
                                                .url = target.url,
                                                .now = std::chrono::steady_clock::now()}));
  AppCall call{.request = std::move(wanted),
               .target = std::move(target),
               .dropped_headers = std::move(dropped),
               .body = std::move(body),
               .slot = std::move(slot)};
  call.owner = owner_of(caller.request.principal, call.backend());
  call.cached = {.method = call.request.method,
                 .key = cache_key(call.target.url),
                 .variant = call.request.credentials == CredentialsMode::Omit ? "omit" : "",
                 .headers = std::move(headers)};
  return call;
}

pipeline::UnsentCall AppGateway::refused(json::Object const& arguments, Error const& why) {
  constexpr std::size_t kLongestMethod = 32;
  auto const backend = text_argument(arguments, "backend");
  pipeline::UnsentCall call{.url = sites_.meant(text_argument(arguments, "url"), backend),
                            .refusal = why};
  auto const method = text_argument(arguments, "method");
  if (http::is_token(method)) call.method = method.substr(0, kLongestMethod);
  return call;
}

bool AppGateway::cookies_go_to(AppCall const& call, url::Url const& url) const {
  switch (call.request.credentials) {
    case CredentialsMode::Omit: return false;
    case CredentialsMode::Include: return true;
    case CredentialsMode::SameOrigin:
      return call.target.site->is_backend && url::same_origin(url, call.backend().base);
  }
  return false;
}

void AppGateway::dress_hop(AppCall& call, url::Url const& url, http::Headers& headers) {
  headers.erase("cookie");
  call.last_cookie =
      cookies_go_to(call, url) ? jars_.header_for(call.owner, url, now_()) : std::string{};
  if (!call.last_cookie.empty()) headers.add("Cookie", call.last_cookie);
  // A validator says something about the URL that it came from, and about no other.
  bool const is_own = cache_key(url) == call.cached.key;
  for (auto const& field : call.plan.further) {
    headers.erase(field.name);
    if (is_own || !field.name.starts_with("if-")) headers.add(field.name, field.value);
  }
}

pipeline::OutboundRequest AppGateway::outbound(AppCall& call) {
  auto const& backend = call.backend();
  bool const with_credentials =
      call.request.credentials == CredentialsMode::Include ||
      (call.request.credentials == CredentialsMode::SameOrigin && call.target.site->is_backend);
  pipeline::OutboundRequest request;
  request.method = call.request.method;
  request.url = call.target.url.href();
  request.headers = call.cached.headers;
  request.headers.erase("cookie");
  request.header_bytes = true;
  // An app in a browser has one without asking for it, and some servers refuse who has none.
  if (!options_.user_agent.empty() && request.headers.find("user-agent") == nullptr) {
    request.headers.add("User-Agent", options_.user_agent);
  }
  request.body = std::move(call.body);
  request.redirects = call.request.redirects;
  request.max_redirects = options_.max_redirects;
  request.request_bytes = backend.request_bytes;
  request.response_bytes = backend.response_bytes;
  request.timeout = call.request.timeout;
  request.credentials = with_credentials ? &call.target.site->injector : nullptr;
  request.inject = with_credentials;
  request.open = openings(backend);
  request.may_redirect_to = [this](url::Url const& url) { return sites_.allows(url); };
  request.before_hop = [this, &call](url::Url const& url, http::Headers& headers) {
    dress_hop(call, url, headers);
  };
  request.after_hop = [this, &call](url::Url const& url, egress::ResponseHead const& head) {
    if (cookies_go_to(call, url)) jars_.store(call.owner, url, head.headers, now_());
  };
  return request;
}

pipeline::SocketRequest AppGateway::socket(AppCall& call) {
  auto of_http = outbound(call);
  pipeline::SocketRequest request;
  request.url = std::move(of_http.url);
  request.headers = std::move(of_http.headers);
  request.header_bytes = of_http.header_bytes;
  request.timeout = of_http.timeout;
  request.credentials = of_http.credentials;
  request.inject = of_http.inject;
  request.open = std::move(of_http.open);
  request.before_hop = std::move(of_http.before_hop);
  request.after_hop = std::move(of_http.after_hop);
  return request;
}

http::CacheableResponse AppGateway::settle(AppCall& call, pipeline::OutboundAnswer answer,
                                           http::ExchangeTimes times) {
  auto changed = also_changed(answer);
  http::CacheableResponse response{answer.head.status, std::move(answer.head.reason),
                                   std::move(answer.head.headers),
                                   std::make_shared<std::string const>(std::move(answer.body))};
  auto const key = cache_key(answer.url);
  if (key == call.cached.key) {
    return cache_.settle(call.owner, call.cached, call.plan, std::move(response), times, changed);
  }
  // A redirect led elsewhere: the answer is that of the last URL, asked with that URL's cookies.
  changed.push_back(call.cached.key);
  auto last = call.cached;
  last.key = key;
  last.headers.erase("cookie");
  if (!call.last_cookie.empty()) last.headers.add("Cookie", call.last_cookie);
  return cache_.settle(call.owner, last, {.may_store = call.plan.may_store}, std::move(response),
                       times, changed);
}

Task<void> AppGateway::record_cached(pipeline::Passage const& passage, AppCall const& call,
                                     std::string_view reason, int status) {
  co_return co_await road_.record_unsent(passage, {.method = call.request.method,
                                                   .url = call.target.url.href(),
                                                   .refusal = std::nullopt,
                                                   .reason = std::string{reason},
                                                   .status = status});
}

Task<std::optional<AppResponse>> AppGateway::from_cache(pipeline::Passage const& passage,
                                                        AppCall& call) {
  call.asked = now_();
  if (cookies_go_to(call, call.target.url)) {
    auto const cookie = jars_.header_for(call.owner, call.target.url, call.asked);
    if (!cookie.empty()) call.cached.headers.set("Cookie", cookie);
  }
  call.plan = cache_.plan(call.owner, call.cached, call.request.cache, call.asked);
  AppResponse response{.method = call.request.method,
                       .url = seen_by_app(call.target.url, call.target),
                       .response_type = call.request.response_type,
                       .dropped_headers = call.dropped_headers};
  switch (call.plan.next) {
    case http::Cache::Next::Serve:
      response.http = http::served(*call.plan.stored, call.asked);
      SP_CO_CHECK(co_await record_cached(passage, call, "served from cache", response.http.status));
      co_return response;
    case http::Cache::Next::GatewayTimeout:
      response.http = {504, "Gateway Timeout", {}, nullptr};
      SP_CO_CHECK(co_await record_cached(passage, call, kNotCached, response.http.status));
      co_return response;
    case http::Cache::Next::NetworkError:
      SP_CO_CHECK(co_await record_cached(passage, call, kNotCached, 0));
      co_return fail(Errc::NotFound, "The cache has no answer, and cache is \"only-if-cached\".");
    case http::Cache::Next::Send: break;
  }
  co_return std::optional<AppResponse>{};
}

AppResponse AppGateway::head_of(AppCall const& call, url::Url const& url, bool redirected,
                                int status) const {
  return {.method = call.request.method,
          .url = seen_by_app(url, call.target),
          .redirected = redirected,
          .opaque_redirect = call.request.redirects == pipeline::Redirects::Manual &&
                             pipeline::is_redirect(status),
          .response_type = call.request.response_type,
          .dropped_headers = call.dropped_headers};
}

AppResponse AppGateway::received(AppCall& call, pipeline::OutboundAnswer answer) {
  auto response = head_of(call, answer.url, answer.redirected, answer.head.status);
  response.http = settle(call, std::move(answer), {call.asked, now_()});
  return response;
}

Task<AppResponse> AppGateway::answer(pipeline::Passage const& passage, AppCall& call) {
  SP_CO_TRY(auto known, co_await from_cache(passage, call));
  if (known) co_return std::move(*known);
  SP_CO_TRY(auto answer, co_await road_.send(passage, outbound(call)));
  co_return received(call, std::move(answer));
}

}  // namespace sallyport::tools
