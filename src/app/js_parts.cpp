#include "src/app/js_parts.hpp"

#include "src/js/process_engine.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::app {

std::unique_ptr<js::Engine> make_js_engine(js::EngineOptions options) {
  return std::make_unique<js::ProcessEngine>(std::move(options));
}

tools::WorldFactory make_js_worlds(config::Settings const& settings, ScriptWays ways) {
  auto const has_policy = [&](std::string_view section) {
    return std::ranges::any_of(settings.policies.sections,
                               [&](auto const& each) { return each.name == section; });
  };
  ScriptReach const reach{.fetch = has_policy("fetch"),
                          .sockets = has_policy("websocket"),
                          .max_redirects = settings.http_request.max_redirects,
                          .timeout = settings.http_request.timeout,
                          .request_bytes = settings.js.run.limits.body_bytes,
                          .response_bytes = settings.js.run.limits.body_bytes};
  return [reach, ways](RequestContext caller, std::string const& execution) {
    caller.execution = execution;
    return make_script_world(reach, ways, std::move(caller));
  };
}

}  // namespace sallyport::app
