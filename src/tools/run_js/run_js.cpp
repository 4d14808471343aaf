#include "src/tools/run_js/run_js.hpp"

#include "src/base/random_id.hpp"
#include "src/tools/run_js/console_relay.hpp"
#include "src/tools/run_js/run_js_arguments.hpp"
#include "src/tools/run_js/run_js_result.hpp"

#include <utility>

namespace sallyport::tools {
namespace {

// A call that waits for its script. When the call goes, for whatever reason, it is not told of the
// console any longer, and takes the script along unless it was told to leave it.
class Attendance {
 public:
  explicit Attendance(std::shared_ptr<Execution> execution) : execution_{std::move(execution)} {}
  ~Attendance() {
    execution_->relay_to(nullptr);
    if (!left_running_ && !has_ended(execution_->status())) execution_->cancel();
  }
  Attendance(Attendance const&) = delete;
  Attendance& operator=(Attendance const&) = delete;

  void leave_running() noexcept { left_running_ = true; }

 private:
  std::shared_ptr<Execution> execution_;
  bool left_running_{false};
};

class RunJsTool {
 public:
  RunJsTool(RunJsOptions options, WorldFactory worlds, ExecutionStore& executions)
      : options_{options}, worlds_{std::move(worlds)}, executions_{executions} {}

  RunJsOptions const& options() const noexcept { return options_; }

  Task<mcp::ToolResult> run(mcp::CallContext& context, json::Object const& arguments) {
    SP_CO_TRY(auto asked, read_run_js_arguments(arguments, options_));
    bool const background = asked.background;
    ConsoleRelay relay{context};
    auto const home = co_await asio::this_coro::executor;
    auto start = start_of(context.request(), std::move(asked));
    start.relay = &relay;
    SP_CO_TRY(auto const execution, executions_.start(home, std::move(start)));
    Attendance attendance{execution};

    if (!background && !context.runs_as_task()) {
      auto const wakeup = co_await execution->wait(patience());
      if (wakeup != Wakeup::DeadlinePassed) co_return ended(wakeup, execution);
    }
    if (has_ended(execution->status())) co_return ended(Wakeup::Happened, execution);
    executions_.keep(execution);
    announce(context, *execution);
    auto const task = co_await context.start_task();
    if (!task || !context.runs_as_task()) {
      attendance.leave_running();
      co_return background_result(*execution, options_.answer_bytes);
    }
    auto const wakeup = co_await execution->wait();
    co_return ended(wakeup, execution);
  }

 private:
  ExecutionStore::Start start_of(RequestContext const& request, RunJsArguments asked) const {
    ExecutionStore::Start start{
        .id = random_id(), .session = asked.session, .value_bytes = options_.answer_bytes};
    auto caller = request;
    caller.deadline = {};  // the script may outlive the call
    start.world = worlds_(caller, start.id);
    start.script.code = std::move(asked.code);
    start.script.owner = request.principal.key();
    if (!asked.session.empty()) {
      start.script.session = session_key(request.principal, asked.session);
    }
    start.script.limits = asked.limits;
    return start;
  }

  Deadline patience() const {
    if (options_.background_after.count() == 0) return {};
    return Deadline::in(options_.background_after);
  }

  // For those who listen: the id is in no answer before the script has ended when it is a task.
  static void announce(mcp::CallContext& context, Execution const& execution) {
    context.log(mcp::LogLevel::Info,
                json::Object{{"execution_id", execution.id()}, {"status", "in the background"}},
                "run_js");
  }

  Result<mcp::ToolResult> ended(Wakeup wakeup, std::shared_ptr<Execution> const& execution) {
    if (wakeup == Wakeup::Cancelled) return fail(Errc::Cancelled, "The request was cancelled.");
    auto const facts = execution->facts(Detail::Brief);
    // It was not the script that failed. When somebody cancelled it, that is news for the caller.
    if (facts.failure && facts.status != ExecutionStatus::Cancelled) return *facts.failure;
    bool const is_long = facts.output_bytes > options_.answer_bytes;
    if (is_long) executions_.keep(execution);
    bool const kept = executions_.find(execution->id(), execution->owner()) != nullptr;
    return finished_result(*execution, options_.answer_bytes, kept);
  }

  RunJsOptions options_;
  WorldFactory worlds_;
  ExecutionStore& executions_;
};

}  // namespace

mcp::Tool run_js(RunJsOptions options, WorldFactory worlds, ExecutionStore& executions) {
  auto const self = std::make_shared<RunJsTool>(options, std::move(worlds), executions);
  mcp::Tool tool;
  tool.name = kRunJs;
  tool.title = "Run JavaScript";
  tool.description =
      "Runs JavaScript in a sandbox and gives back what it writes with console.log(), the value of "
      "its last expression, or its error. The sandbox has the web's APIs but no files and no "
      "network of its own: fetch() goes through this server and its policies. A script that takes "
      "long goes on in the background, and the answer has an execution_id for it.";
  tool.input_schema = run_js_input_schema(self->options());
  tool.output_schema = run_js_output_schema();
  // A script may send anything that the policies allow.
  tool.annotations = {{"readOnlyHint", false}, {"openWorldHint", true}};
  tool.task_support = mcp::TaskSupport::Optional;
  tool.task_start = mcp::TaskStart::ByHandler;
  tool.handler = [self](mcp::CallContext& context, json::Object const& arguments) {
    return self->run(context, arguments);
  };
  return tool;
}

}  // namespace sallyport::tools
