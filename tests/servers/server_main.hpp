// The main() that the servers of this folder share: `--port N` or `--stdio`.
#pragma once

#include "src/app/service.hpp"
#include "src/base/log.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <string_view>
#include <utility>

namespace sallyport::fixtures {

inline int serve(int argc, char** argv, mcp::Registry::Builder& builder) {
  config::Settings settings;
  settings.server.name = "sallyport-fixture";
  log::configure({.level = log::Level::Warn});
  auto registry = builder.build();
  if (!registry) {
    fmt::print(stderr, "{}\n", registry.error().message);
    return 2;
  }
  auto const offered = [&](app::ServiceCore&) -> Result<std::shared_ptr<mcp::Registry const>> {
    return *registry;
  };
  std::string_view const first = argc > 1 ? argv[1] : "";
  if (first == "--stdio") return app::run_stdio_service(settings, offered);
  std::string_view const port = argc > 2 ? argv[2] : "";
  auto const parsed = std::from_chars(port.data(), port.data() + port.size(), settings.listen.port);
  if (first != "--port" || parsed.ec != std::errc{}) {
    fmt::print(stderr, "usage: {} --port N | --stdio\n", argv[0]);
    return 2;
  }
  return app::run_http_service(settings, offered, [](std::uint16_t bound) {
    fmt::print("listening on http://127.0.0.1:{}/mcp\n", bound);
    std::fflush(stdout);
  });
}

}  // namespace sallyport::fixtures
