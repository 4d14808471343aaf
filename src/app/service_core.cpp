#include "src/app/service_core.hpp"

#include "src/audit/null_sink.hpp"
#include "src/base/log.hpp"

#include <csignal>
#include <utility>

namespace sallyport::app {
namespace {

constexpr std::chrono::milliseconds kWaitForServers{3'000};

void log_failure(std::string_view chore, Error const& error) {
  log::error("chore failed",
             {{"chore", chore}, {"error", error.message}, {"detail", error.detail}});
}

}  // namespace

Result<std::unique_ptr<audit::Sink>> open_audit_log(config::AuditSettings const& settings,
                                                    Metrics& metrics) {
  if (!settings.enabled) log::warn("calls to the network are not recorded: audit.enabled is false");
  if (!settings.enabled || settings.file.empty()) return std::make_unique<audit::NullSink>();
  SP_TRY(std::unique_ptr<audit::Sink> log, audit::AuditLog::open(settings.options(), metrics));
  return log;
}

mcp::ServerOptions mcp_options(config::Settings const& settings) {
  using std::chrono::duration_cast;
  using std::chrono::seconds;
  auto const& limits = settings.limits;
  mcp::ServerOptions options;
  options.info = {settings.server.name, settings.server.title, settings.server.version};
  options.instructions = settings.server.instructions;
  options.preferred_legacy =
      mcp::parse_revision(settings.server.protocol_version).value_or(mcp::kLatestLegacy);
  options.page_size = limits.page_size;
  options.cache_ttl = limits.cache_ttl;
  options.call_timeout = duration_cast<seconds>(limits.call_timeout);
  options.calls_per_peer = limits.requests_in_flight;
  options.sessions = {limits.sessions, duration_cast<seconds>(limits.session_idle_timeout)};
  return options;
}

Result<std::unique_ptr<ServiceCore>> ServiceCore::create(config::Settings const& settings,
                                                         std::size_t loops,
                                                         MakeRegistry const& make_registry) {
  auto key = store::SealingKey::random();
  if (!settings.state_key.empty()) {
    SP_TRY(key, store::SealingKey::derive(settings.state_key));
  }
  std::unique_ptr<ServiceCore> core{new ServiceCore{key, loops}};
  SP_TRY(core->audit_, open_audit_log(settings.audit, core->metrics_));
  SP_TRY(core->road_, RoadOut::create(settings, core->loops_, *core->audit_, core->metrics_));
  core->gate_.emplace(core->road_->tool_policy(), core->road());
  core->script_tools_ = std::make_unique<ScriptTools>(core->gate());
  core->views_ = std::make_unique<stream::Views>(settings.streams.limits());
  SP_TRY(auto registry, make_registry(*core));
  core->server_ = std::make_unique<mcp::Server>(mcp_options(settings), std::move(registry),
                                                core->loops_, core->sealer_, core->metrics_);
  core->script_tools_->offer(*core->server_);
  if (core->gateway_) SP_CHECK(core->gateway_->serve(mcp_options(settings), *core->server_));
  return core;
}

ServiceCore::ServiceCore(store::SealingKey key, std::size_t loops)
    : loops_{loops},
      sealer_{std::move(key)},
      signals_{loops_.executor(0)},
      chores_{loops_.executor(0), log_failure} {}

Result<JsService*> ServiceCore::offer_scripts(config::Settings const& settings) {
  SP_TRY(scripts_, JsService::create(settings, script_ways()));
  if (scripts_) scripts_->engine().measure(metrics_);
  return scripts_.get();
}

JsService& ServiceCore::run_scripts(config::Settings const& settings, JsService::Parts parts) {
  scripts_ = std::make_unique<JsService>(settings.js, std::move(parts));
  return *scripts_;
}

Result<std::shared_ptr<mcp::Registry const>> ServiceCore::open_gateway(
    config::Settings const& settings, mcp::Registry::Builder own) {
  if (settings.mcp_servers.empty()) return own.build();
  SP_TRY(gateway_, GatewayService::create(settings, std::move(own),
                                          {road(), *gate_, loops_, sealer_, metrics_}));
  return gateway_->gateway().registry();
}

void ServiceCore::start(std::function<void()> on_signal, std::function<void()> on_second,
                        std::function<void()> on_ready) {
  std::signal(SIGPIPE, SIG_IGN);
  // Here, not in the chore: nobody may be served before a signal is understood.
  signals_.add(SIGTERM);
  signals_.add(SIGINT);
  signals_.add(SIGHUP);
  chores_.spawn("signals", wait_for_signals(std::move(on_signal)));
  chores_.spawn("chores", tick(std::move(on_second)));
  if (gateway_) gateway_->gateway().start();
  chores_.spawn("start", get_ready(std::move(on_ready)));
}

// Clients list tools once, when they connect: those of servers that answer soon should be there.
Task<void> ServiceCore::get_ready(std::function<void()> on_ready) {
  if (gateway_) SP_CO_CHECK(co_await gateway_->gateway().settled(Deadline::in(kWaitForServers)));
  if (!finished_) on_ready();
  co_return Result<void>{};
}

Task<void> ServiceCore::wait_for_signals(std::function<void()> on_signal) {
  for (;;) {
    auto const [error, number] = co_await signals_.async_wait(use_tuple);
    if (error || finished_) co_return Result<void>{};
    if (number == SIGHUP) {
      road_->reload();
      if (gateway_) gateway_->gateway().look_again();
    } else {
      on_signal();
    }
  }
}

Task<void> ServiceCore::tick(std::function<void()> on_second) {
  Timer timer{loops_.executor(0)};
  for (;;) {
    timer.expires_after(std::chrono::seconds{1});
    auto const [error] = co_await timer.async_wait(use_tuple);
    if (error || finished_) co_return Result<void>{};
    server_->sweep();
    if (scripts_) scripts_->sweep();
    views_->sweep();
    if (gateway_) gateway_->sweep();
    on_second();
  }
}

void ServiceCore::finish() {
  chores_.spawn("wind up", wind_up());
}

Task<void> ServiceCore::wind_up() {
  SP_CO_CHECK(co_await server_->stop());
  if (gateway_) SP_CO_CHECK(co_await gateway_->stop());
  // After the calls, which take their scripts along: what is left runs in the background.
  if (scripts_) SP_CO_CHECK(co_await scripts_->stop());
  SP_CO_CHECK(co_await views_->stop());
  loops_.on_each([this](std::size_t loop) { road_->road().stop(loop); });
  loops_.finish();
  // A wait that has just ended by itself is not reached by stop(): the chore looks here.
  finished_ = true;
  chores_.stop(asio::cancellation_type::terminal);
  co_return Result<void>{};
}

}  // namespace sallyport::app
