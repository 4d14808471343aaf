#include "src/app/product_registry.hpp"

#include "src/tools/fetch.hpp"
#include "src/tools/http_request.hpp"
#include "src/tools/whoami.hpp"

#include <utility>

namespace sallyport::app {
namespace {

tools::FetchOptions fetch_options(config::FetchSettings const& settings) {
  return {.schemes = settings.allowed_schemes,
          .max_redirects = settings.max_redirects,
          .user_agent = settings.default_user_agent,
          .timeout = settings.timeout,
          .max_timeout = settings.max_timeout,
          .max_bytes = settings.max_bytes,
          .robots = settings.robots,
          .event_streams = settings.enable_sse};
}

}  // namespace

mcp::Registry::Builder product_entries(config::Settings const& settings, pipeline::Road& road,
                                       JsService* scripts, stream::Views* views) {
  mcp::Registry::Builder builder;
  builder.add(tools::fetch(fetch_options(settings.fetch), road));
  auto requests = settings.http_request_options();
  // An app that finds the tool may count on reaching something with it.
  if (!requests.backends.empty() || !requests.absolute.empty()) {
    for (auto& tool :
         tools::app_tools(std::move(requests), road, views, settings.streams.options())) {
      builder.add(std::move(tool));
    }
  }
  if (scripts != nullptr) scripts->add_tools(builder);
  builder.add(tools::whoami());
  return builder;
}

Result<std::shared_ptr<mcp::Registry const>> product_registry(config::Settings const& settings,
                                                              pipeline::Road& road,
                                                              JsService* scripts,
                                                              stream::Views* views) {
  return product_entries(settings, road, scripts, views).build();
}

}  // namespace sallyport::app
