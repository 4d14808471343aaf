#include "src/app/stdio.hpp"

#include "src/app/product_registry.hpp"
#include "src/app/service.hpp"

namespace sallyport::app {

int run_stdio(config::Settings const& settings) {
  log::configure(settings.log);
  return run_stdio_service(settings, product_registry());
}

}  // namespace sallyport::app
