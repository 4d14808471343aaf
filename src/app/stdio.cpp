#include "src/app/stdio.hpp"

#include "src/app/product_registry.hpp"
#include "src/app/service.hpp"
#include "src/app/service_core.hpp"

namespace sallyport::app {

int run_stdio(config::Settings const& settings) {
  log::configure(settings.log);
  auto const make_registry =
      [&](ServiceCore& core) -> Result<std::shared_ptr<mcp::Registry const>> {
    SP_TRY(auto* const scripts, core.offer_scripts(settings));
    return core.open_gateway(settings,
                             product_entries(settings, core.road(), scripts, &core.views()));
  };
  return run_stdio_service(settings, make_registry);
}

}  // namespace sallyport::app
