#include "src/app/serve.hpp"

#include "src/app/product_registry.hpp"
#include "src/app/service.hpp"
#include "src/app/service_core.hpp"

#include <fmt/format.h>

namespace sallyport::app {
namespace {

std::string url_host(std::string const& host) {
  return host.find(':') == std::string::npos ? host : fmt::format("[{}]", host);
}

}  // namespace

int run_serve(config::Settings const& settings) {
  log::configure(settings.log);
  auto const make_registry =
      [&](ServiceCore& core) -> Result<std::shared_ptr<mcp::Registry const>> {
    SP_TRY(auto* const scripts, core.offer_scripts(settings));
    return core.open_gateway(settings,
                             product_entries(settings, core.road(), scripts, &core.views()));
  };
  return run_http_service(settings, make_registry, [&](std::uint16_t port) {
    auto const scheme = settings.listen.tls.certificate_file.empty() ? "http" : "https";
    auto const base = fmt::format("{}://{}:{}", scheme, url_host(settings.listen.host), port);
    log::info("listening", {{"mcp", base + settings.listen.path},
                            {"sse", base + "/sse"},
                            {"health", base + "/healthz"},
                            {"metrics", base + "/metrics"}});
  });
}

}  // namespace sallyport::app
