#include "src/app/stdio.hpp"

namespace sallyport::app {

int run_stdio(config::Settings const& settings) {
  log::configure(settings.log);
  log::error("stdio is not wired yet");
  return 1;
}

}  // namespace sallyport::app
