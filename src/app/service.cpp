#include "src/app/service.hpp"

#include "src/app/service_core.hpp"
#include "src/base/log.hpp"
#include "src/net/http_server.hpp"
#include "src/oauth/authenticator.hpp"
#include "src/pipeline/road_client.hpp"
#include "src/transport/http_front.hpp"
#include "src/transport/stdio.hpp"

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

namespace sallyport::app {
namespace {

constexpr int kCannotStart = 2;
constexpr std::chrono::hours kNever{24 * 365};

int cannot_start(Error const& error) {
  fmt::print(stderr, "sallyport: {}\n", error.message);
  return kCannotStart;
}

std::size_t loop_count(config::Settings const& settings) {
  if (settings.listen.loops > 0) return settings.listen.loops;
  return std::max(1U, std::thread::hardware_concurrency());
}

bool is_loopback(std::string const& host) {
  boost::system::error_code error;
  auto const address = asio::ip::make_address(host, error);
  return error ? host == "localhost" : address.is_loopback();
}

std::string as_in_host_header(std::string const& host) {
  bool const bare_ipv6 = host.find(':') != std::string::npos && !host.starts_with('[');
  return bare_ipv6 ? fmt::format("[{}]", host) : host;
}

transport::HttpOptions http_options(config::Settings const& settings) {
  auto const& limits = settings.limits;
  transport::HttpOptions options;
  options.endpoint = settings.listen.path;
  options.loopback = is_loopback(settings.listen.host);
  options.allowed_hosts = settings.listen.allowed_hosts;
  // Where the name is checked, the address listened on is one of ours.
  if (options.loopback || !options.allowed_hosts.empty()) {
    options.allowed_hosts.push_back(as_in_host_header(settings.listen.host));
  }
  options.allowed_origins = settings.listen.allowed_origins;
  options.keep_alive = limits.sse_keep_alive;
  if (options.keep_alive.count() == 0) options.keep_alive = kNever;
  options.stream_queue_bytes = limits.sse_queue_bytes;
  options.json_depth = limits.json_depth;
  options.replay_events = limits.event_store_events;
  options.replay_bytes = limits.event_store_bytes;
  return options;
}

// Who checks credentials, and the client with which it fetches keys. Both empty when nobody is
// asked.
struct Gatekeeper {
  std::unique_ptr<http::Client> client;
  std::unique_ptr<oauth::Authenticator> authenticator;
};

Result<Gatekeeper> make_gatekeeper(config::Settings const& settings, pipeline::Road& road) {
  Gatekeeper gatekeeper;
  if (!settings.auth.configured()) return gatekeeper;
  if (settings.auth.jwt && !settings.auth.jwt->jwks_url.empty()) {
    gatekeeper.client = std::make_unique<pipeline::RoadClient>(road, "jwks");
  }
  SP_TRY(gatekeeper.authenticator,
         oauth::make_authenticator(settings.auth, gatekeeper.client.get()));
  return gatekeeper;
}

}  // namespace

int run_http_service(config::Settings const& settings, MakeRegistry const& make_registry,
                     std::function<void(std::uint16_t port)> on_listening) {
  auto core = ServiceCore::create(settings, loop_count(settings), make_registry);
  if (!core) return cannot_start(core.error());
  auto& service = **core;
  auto gatekeeper = make_gatekeeper(settings, service.road());
  if (!gatekeeper) return cannot_start(gatekeeper.error());
  transport::HttpFront front{http_options(settings), service.server(),
                             gatekeeper->authenticator.get(), service.metrics()};
  if (auto* const gateway = service.gateway()) {
    for (auto const& [part, behind] : gateway->endpoints()) front.serve_below(part, *behind);
  }
  front.set_ready_details([&service] {
    auto details = to_json(service.policy_problems());
    if (auto* const gateway = service.gateway()) {
      details["servers"] = upstream::to_json(gateway->gateway().status());
    }
    return details;
  });
  auto listener =
      net::HttpServer::create(settings.server_options(), service.loops(), service.metrics(),
                              [&front](net::Exchange& exchange) { return front.handle(exchange); });
  if (!listener) return cannot_start(listener.error());
  auto& server = **listener;

  bool stopping = false;
  auto const on_signal = [&] {
    auto const grace = stopping ? std::chrono::milliseconds{0} : settings.limits.shutdown_grace;
    log::info(stopping ? "stopping now" : "stopping", {{"grace_ms", std::int64_t{grace.count()}}});
    front.set_ready(false);
    if (std::exchange(stopping, true)) {
      std::_Exit(1);  // the operator does not want to wait
    }
    server.stop(grace, [&] { service.finish(); });
  };
  service.start(
      on_signal, [&front] { front.sweep(); },
      [&] {
        if (stopping) return;
        server.start();
        on_listening(server.port());
      });
  service.loops().run();
  log::info("stopped");
  return 0;
}

int run_stdio_service(config::Settings const& settings, MakeRegistry const& make_registry) {
  auto core = ServiceCore::create(settings, 1, make_registry);
  if (!core) return cannot_start(core.error());
  auto& service = **core;
  transport::StdioOptions options;
  options.line_bytes = settings.limits.http.body_bytes;
  options.json_depth = settings.limits.json_depth;
  options.grace = settings.limits.shutdown_grace;
  transport::Stdio stdio{options, service.server(), [&service] { service.finish(); }};
  service.start([&stdio] { stdio.stop(); }, [] {}, [&stdio] { stdio.start(); });
  service.loops().run();
  return 0;
}

}  // namespace sallyport::app
