#include "src/app/serve.hpp"

namespace sallyport::app {

int run_serve(config::Settings const& settings) {
  log::configure(settings.log);
  log::error("serve is not wired yet");
  return 1;
}

}  // namespace sallyport::app
