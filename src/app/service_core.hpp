// What both services share: the loops, the road out with its log, the server core, and the
// once-a-second chores.
#pragma once

#include "src/app/gateway_service.hpp"
#include "src/app/js_service.hpp"
#include "src/app/road_out.hpp"
#include "src/app/service.hpp"
#include "src/base/event_loops.hpp"
#include "src/base/metrics.hpp"
#include "src/base/task_group.hpp"
#include "src/config/settings.hpp"
#include "src/mcp/server.hpp"
#include "src/store/aead_sealer.hpp"
#include "src/stream/views.hpp"

#include <boost/asio/signal_set.hpp>

#include <functional>
#include <memory>

namespace sallyport::app {

class ServiceCore {
 public:
  // Fails with InvalidInput when the state key is too short, when the audit log cannot be opened,
  // or with what the road out or the registry fail with.
  static Result<std::unique_ptr<ServiceCore>> create(config::Settings const& settings,
                                                     std::size_t loops,
                                                     MakeRegistry const& make_registry);

  ServiceCore(ServiceCore const&) = delete;
  ServiceCore& operator=(ServiceCore const&) = delete;

  EventLoops& loops() noexcept { return loops_; }
  Metrics& metrics() noexcept { return metrics_; }
  mcp::Server& server() noexcept { return *server_; }
  pipeline::Road& road() noexcept { return road_->road(); }
  ScriptWays script_ways() noexcept { return {road(), *script_tools_}; }
  pipeline::ToolGate const& gate() const noexcept { return *gate_; }
  stream::Views& views() noexcept { return *views_; }
  // From any thread.
  std::vector<PolicyProblem> policy_problems() const { return road_->policy_problems(); }

  // Lets the service run scripts; once, and before it starts. The first gives nothing where they
  // are off, and fails as JsService::create does.
  Result<JsService*> offer_scripts(config::Settings const& settings);
  JsService& run_scripts(config::Settings const& settings, JsService::Parts parts);

  // Lets the service reach other MCP servers, if the settings name some; once, and before it
  // starts. What is offered at first: `own`, and what they are known to have. Fails as
  // GatewayService::create does.
  Result<std::shared_ptr<mcp::Registry const>> open_gateway(config::Settings const& settings,
                                                            mcp::Registry::Builder own);
  // Nothing where there is none.
  GatewayService* gateway() noexcept { return gateway_.get(); }

  // Both on loop 0. `on_signal` is called for SIGTERM and SIGINT, each time one comes; `on_second`
  // once a second. SIGHUP reads the files of policies again, and asks the servers behind us what
  // they offer. `on_ready` when those have answered, or some seconds later.
  void start(
      std::function<void()> on_signal, std::function<void()> on_second,
      std::function<void()> on_ready = [] {});
  // Ends every call, then the chores, then the loops.
  void finish();

 private:
  ServiceCore(store::SealingKey key, std::size_t loops);

  Task<void> wait_for_signals(std::function<void()> on_signal);
  Task<void> get_ready(std::function<void()> on_ready);
  Task<void> tick(std::function<void()> on_second);
  Task<void> wind_up();

  Metrics metrics_;  // what ends with the loops still counts
  EventLoops loops_;
  store::AeadSealer sealer_;
  std::unique_ptr<audit::Sink> audit_;
  std::unique_ptr<RoadOut> road_;
  std::optional<pipeline::ToolGate> gate_;
  std::unique_ptr<ScriptTools> script_tools_;
  std::unique_ptr<stream::Views> views_;
  std::unique_ptr<JsService> scripts_;
  std::unique_ptr<GatewayService> gateway_;
  std::unique_ptr<mcp::Server> server_;
  asio::basic_signal_set<Executor> signals_;
  TaskGroup chores_;
  bool finished_{false};  // on loop 0
};

// A sink that forgets where the settings say so, or name no file: those of a test may not. Fails as
// AuditLog::open() does.
Result<std::unique_ptr<audit::Sink>> open_audit_log(config::AuditSettings const& settings,
                                                    Metrics& metrics);

mcp::ServerOptions mcp_options(config::Settings const& settings);

}  // namespace sallyport::app
