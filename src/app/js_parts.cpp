#include "src/app/js_parts.hpp"

namespace sallyport::app {

Result<std::unique_ptr<js::Engine>> make_js_engine(js::EngineOptions, EventLoops&, Metrics&) {
  return fail(Errc::NotFound, "this build has no engine for scripts");
}

tools::WorldFactory make_js_worlds(config::Settings const&, pipeline::Road&) {
  return {};
}

}  // namespace sallyport::app
