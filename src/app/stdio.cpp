#include "src/app/stdio.hpp"

#include "src/app/product_registry.hpp"
#include "src/app/service.hpp"

namespace sallyport::app {

int run_stdio(config::Settings const& settings) {
  log::configure(settings.log);
  auto const make_registry = [&](pipeline::Road& road) { return product_registry(settings, road); };
  return run_stdio_service(settings, make_registry);
}

}  // namespace sallyport::app
