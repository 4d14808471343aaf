#include "src/app/js_service.hpp"

#include "src/app/js_parts.hpp"
#include "src/app/js_program.hpp"
#include "src/base/log.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::app {

Result<JsService::Parts> make_js_parts(config::Settings const& settings, ScriptWays ways) {
  if (settings.js.enabled == config::JsEnabled::Off) {
    return fail(Errc::NotFound, "js.enabled is false");
  }
  auto options = settings.js.engine;
  SP_TRY(options.program, find_js_program(options.program, js_program_folders()));
  JsService::Parts parts;
  parts.engine = make_js_engine(std::move(options));
  parts.worlds = make_js_worlds(settings, ways);
  return parts;
}

Result<std::unique_ptr<JsService>> JsService::create(config::Settings const& settings,
                                                     ScriptWays ways) {
  auto parts = make_js_parts(settings, ways);
  if (parts) return std::make_unique<JsService>(settings.js, std::move(*parts));
  auto const& why = parts.error().message;
  if (settings.js.enabled == config::JsEnabled::On) {
    return fail(Errc::InvalidInput, fmt::format("js.enabled is true, but {}", why),
                parts.error().detail);
  }
  log::info("run_js is off", {{"why", why}});
  return std::unique_ptr<JsService>{};
}

JsService::JsService(config::JsSettings const& settings, Parts parts)
    : options_{settings.run},
      parts_{std::move(parts)},
      executions_{settings.executions, *parts_.engine} {}

void JsService::add_tools(mcp::Registry::Builder& builder) {
  builder.add(tools::run_js(options_, parts_.worlds, executions_))
      .add(tools::get_execution(executions_))
      .add(tools::get_execution_output(options_, executions_))
      .add(tools::cancel_execution(executions_))
      .add(tools::list_executions(executions_));
}

}  // namespace sallyport::app
