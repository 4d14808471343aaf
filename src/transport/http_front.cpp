#include "src/transport/http_front.hpp"

#include "src/base/log.hpp"
#include "src/json/write.hpp"
#include "src/transport/plain_response.hpp"

#include <utility>

namespace sallyport::transport {
namespace {

Async<void> respond(net::Exchange& exchange, http::Response response) {
  auto const sent = co_await exchange.respond(std::move(response));
  (void)sent;
}

// Our answers to a page of another origin, once it is allowed
// (https://fetch.spec.whatwg.org/#http-cors-protocol).
class CorsExchange final : public net::Exchange {
 public:
  explicit CorsExchange(net::Exchange& inner) : inner_{inner} {}

  http::ServerRequest& request() noexcept override { return inner_.request(); }
  Task<void> respond(http::Response response) override {
    return inner_.respond(decorated(std::move(response)));
  }
  Task<void> begin(http::Response response) override {
    return inner_.begin(decorated(std::move(response)));
  }
  Task<void> write(std::string_view piece) override { return inner_.write(piece); }
  Task<void> end() override { return inner_.end(); }
  void watch_disconnect(std::function<void()> on_gone) override {
    inner_.watch_disconnect(std::move(on_gone));
  }
  bool stopping() const noexcept override { return inner_.stopping(); }
  void watch_stop(std::function<void()> on_stop) override { inner_.watch_stop(std::move(on_stop)); }

 private:
  http::Response decorated(http::Response response) {
    response.headers.add("Access-Control-Allow-Origin", *inner_.request().headers.find("Origin"));
    response.headers.add("Vary", "Origin");
    response.headers.add("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate");
    return response;
  }

  net::Exchange& inner_;
};

}  // namespace

HttpFront::HttpFront(HttpOptions options, mcp::Server& server, oauth::Authenticator* authenticator,
                     Metrics const& metrics)
    : options_{std::move(options)},
      server_{server},
      authenticator_{authenticator},
      metrics_{metrics},
      guard_{options_},
      endpoint_{make_endpoint(server)} {
  auto const sse = [this](std::size_t loop) -> HttpSse& { return *sse_[loop]; };
  for (std::size_t loop = 0; loop < server.loops().size(); ++loop) {
    sse_.push_back(std::make_unique<HttpSse>(server.dispatcher(loop), options_, sse));
  }
}

std::unique_ptr<HttpFront::Endpoint> HttpFront::make_endpoint(mcp::Server& server) {
  auto made = std::make_unique<Endpoint>();
  auto const peers = [endpoint = made.get()](std::size_t loop) -> StreamableHttp& {
    return *endpoint->loops[loop];
  };
  for (std::size_t loop = 0; loop < server.loops().size(); ++loop) {
    made->loops.push_back(
        std::make_unique<StreamableHttp>(server.dispatcher(loop), options_, peers));
  }
  return made;
}

void HttpFront::serve_below(std::string const& part, mcp::Server& server) {
  below_[options_.endpoint + "/" + part] = make_endpoint(server);
}

HttpFront::Endpoint* HttpFront::find_endpoint(std::string_view path) {
  if (path == options_.endpoint) return endpoint_.get();
  auto const found = below_.find(path);
  return found == below_.end() ? nullptr : found->second.get();
}

Async<void> HttpFront::handle(net::Exchange& exchange) {
  auto const& request = exchange.request();
  if (auto refused = guard_.check(request)) {
    log::warn("request refused", {{"request", request.request_id},
                                  {"peer", request.peer_address},
                                  {"reason", "host or origin not allowed"}});
    co_await respond(exchange, std::move(*refused));
    co_return;
  }
  if (request.headers.find("Origin") == nullptr) {
    co_await route(exchange);
    co_return;
  }
  CorsExchange cors{exchange};
  co_await route(cors);
}

bool HttpFront::is_metadata_path(std::string_view path) const {
  // RFC 9728, section 3.1: with the path of the resource behind it, or without.
  constexpr std::string_view kWellKnown = "/.well-known/oauth-protected-resource";
  if (!path.starts_with(kWellKnown)) return false;
  path.remove_prefix(kWellKnown.size());
  return path.empty() || path == options_.endpoint || below_.contains(path);
}

http::Response HttpFront::preflight(http::ServerRequest const& request) const {
  http::Response response{.status = 204};
  response.headers.add("Access-Control-Allow-Methods", "GET, POST, DELETE");
  auto const* wanted = request.headers.find("Access-Control-Request-Headers");
  if (wanted != nullptr) response.headers.add("Access-Control-Allow-Headers", *wanted);
  response.headers.add("Access-Control-Max-Age", "600");
  return response;
}

http::Response HttpFront::readiness(bool stopping) const {
  if (stopping || !ready_) return json_response(503, R"({"status":"stopping"})");
  json::Object body{{"status", "ready"}};
  if (ready_details_) {
    for (auto& [name, value] : ready_details_()) body.insert_or_assign(name, std::move(value));
  }
  return json_response(200, json::to_text(body));
}

Async<void> HttpFront::route(net::Exchange& exchange) {
  auto const& request = exchange.request();
  auto const& path = request.path;
  bool const reads = request.method == "GET" || request.method == "HEAD";
  bool const mcp_path = find_endpoint(path) != nullptr || path == "/sse" || path == "/messages";
  if (request.method == "OPTIONS" && request.headers.find("Origin") != nullptr && mcp_path) {
    co_await respond(exchange, preflight(request));
  } else if (mcp_path) {
    co_await protected_route(exchange);
  } else if (path == "/healthz" && reads) {
    co_await respond(exchange, json_response(200, R"({"status":"ok"})"));
  } else if (path == "/readyz" && reads) {
    co_await respond(exchange, readiness(exchange.stopping()));
  } else if (path == "/metrics" && reads) {
    co_await respond(exchange, http::Response{.status = 200,
                                              .content_type = "text/plain; version=0.0.4",
                                              .body = metrics_.render()});
  } else if (authenticator_ != nullptr && is_metadata_path(path) && reads) {
    co_await respond(exchange, json_response(200, authenticator_->resource_metadata(request)));
  } else {
    co_await respond(exchange, error_response(404, "There is nothing at this path. MCP is at " +
                                                       options_.endpoint + "."));
  }
}

Async<bool> HttpFront::authenticate(net::Exchange& exchange, Principal& principal) {
  if (authenticator_ == nullptr) co_return true;
  auto verdict = co_await authenticator_->authenticate(exchange.request());
  if (auto* proven = std::get_if<Principal>(&verdict)) {
    principal = std::move(*proven);
    co_return true;
  }
  auto const& refusal = std::get<oauth::Refusal>(verdict);
  auto response = error_response(refusal.status, refusal.message);
  if (!refusal.www_authenticate.empty()) {
    response.headers.add("WWW-Authenticate", refusal.www_authenticate);
  }
  co_await respond(exchange, std::move(response));
  co_return false;
}

Async<void> HttpFront::protected_route(net::Exchange& exchange) {
  Principal principal;
  bool const passed = co_await authenticate(exchange, principal);
  if (!passed) co_return;
  auto const executor = co_await asio::this_coro::executor;
  auto const loop = server_.loops().index_of(executor);
  auto const& request = exchange.request();
  if (auto* const endpoint = find_endpoint(request.path)) {
    co_await endpoint->loops[loop]->handle(exchange, principal);
  } else if (request.path == "/sse" && request.method == "GET") {
    co_await sse_[loop]->open(exchange, principal);
  } else if (request.path == "/messages" && request.method == "POST") {
    co_await sse_[loop]->post(exchange, principal);
  } else {
    co_await respond(exchange, method_not_allowed(request.path == "/sse" ? "GET" : "POST"));
  }
}

void HttpFront::sweep() {
  server_.loops().on_each([this](std::size_t loop) {
    endpoint_->loops[loop]->sweep();
    for (auto const& [path, endpoint] : below_) endpoint->loops[loop]->sweep();
  });
}

}  // namespace sallyport::transport
