#include "src/mcp/dispatcher.hpp"

#include "src/base/log.hpp"
#include "src/mcp/error_map.hpp"
#include "src/mcp/methods.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::mcp {
namespace {

void log_failure(std::string_view child, Error const& error) {
  log::error("task failed", {{"task", child}, {"error", error.message}, {"detail", error.detail}});
}

ToolResult in_storage_of_its_own(ToolResult const& result) {
  ToolResult copy{.content = json::Array(result.content, json::Storage{}),
                  .is_error = result.is_error,
                  .meta = json::Object(result.meta, json::Storage{})};
  if (result.structured) copy.structured = json::Value(*result.structured, json::Storage{});
  return copy;
}

// Mcp-Param-* can only be judged with the tool's schema at hand.
std::optional<RpcError> check_mirrored(Request const& request, Registry const& registry) {
  if (request.headers == nullptr || request.method != "tools/call") return std::nullopt;
  auto const* name = json::find_string(request.params, "name");
  auto const* tool = name == nullptr ? nullptr : registry.tool(json::view(*name));
  if (tool == nullptr || tool->mirrored.empty()) return std::nullopt;
  json::Object const none;
  auto const* arguments = json::find_object(request.params, "arguments");
  return check_parameter_headers(*request.headers, tool->mirrored,
                                 arguments == nullptr ? none : *arguments);
}

}  // namespace

Dispatcher::Dispatcher(Server& server, std::size_t loop, std::shared_ptr<Registry const> registry)
    : server_{server},
      loop_{loop},
      executor_{server.loops().executor(loop)},
      registry_{std::move(registry)},
      format_{server.options()},
      sessions_{server.sessions()},
      replies_{loop, executor_},
      tasks_{loop, executor_, server.options().tasks},
      task_changed_{executor_, Timer::time_point::max()},
      group_{executor_, log_failure} {}

Dispatcher::~Dispatcher() = default;

std::string Dispatcher::call_key(std::string const& scope, json::Value const& id) {
  return scope + '\n' + id_key(id);
}

void Dispatcher::handle(Request request, Outlet& outlet) {
  server_.counters().calls.add();
  auto const refuse = [&](RpcError const& error) {
    server_.counters().errors.add();
    outlet.finish(error_answer(request.id, error, request.revision));
  };
  auto const* method = find_method(request.method, request.revision, *registry_);
  if (method == nullptr) {
    refuse({code::kMethodNotFound, fmt::format("Method not found: {}", request.method), nullptr,
            is_modern(request.revision) ? 404 : 200});
    return;
  }
  // A caller kind that the credentials prove outranks what the request says of itself.
  auto& kind = request.context.principal.kind;
  if (kind == CallerKind::Unknown) kind = read_caller_kind(request.params);
  if (auto const error = check_mirrored(request, *registry_)) {
    refuse(*error);
    return;
  }
  if (method->plain != nullptr) {
    auto reply = method->plain(*this, request);
    if (auto const* error = std::get_if<RpcError>(&reply)) {
      refuse(*error);
    } else {
      outlet.finish(result_answer(request.id, std::get<std::string>(reply)));
    }
    return;
  }
  if (stopping_) {
    refuse({code::kInternalError, "The server is shutting down.", nullptr, 503});
    return;
  }
  if (!request.cancel_scope.empty() &&
      load_[request.cancel_scope] >= server_.options().calls_per_peer) {
    refuse({code::kInternalError, "Too many requests are in flight. Wait for some to end."});
    return;
  }
  start(std::move(request), outlet, method->call);
}

void Dispatcher::start(Request request, Outlet& outlet, Work work) {
  calls_.push_back(std::make_unique<Call>(*this, std::move(request), outlet, registry_));
  auto& call = *calls_.back();
  call.position = std::prev(calls_.end());
  auto const& message = call.message();
  if (!message.cancel_scope.empty()) {
    by_id_.insert_or_assign(call_key(message.cancel_scope, message.id), &call);
    ++load_[message.cancel_scope];
  }
  server_.counters().in_flight.add(1);
  // The child may have ended, and the call with it, when spawn() returns.
  bool ended = false;
  call.on_end = &ended;
  auto const child = group_.spawn("call", run(call, work));
  if (ended) return;
  call.on_end = nullptr;
  call.child = child;
  // It may have been given up while it was being started, when there was nothing to stop yet.
  if (call.cancel_reason != CancelReason::None) child->emit(asio::cancellation_type::terminal);
}

Task<void> Dispatcher::run(Call& call, Work work) {
  // A cancellation that comes while the handler is about to go on would otherwise be missed: it
  // ends the next wait, then.
  co_await asio::this_coro::throw_if_cancelled(true);
  auto outcome = co_await capture(work(*this, call));
  co_await asio::this_coro::throw_if_cancelled(false);
  conclude(call, std::move(outcome));

  auto const& message = call.message();
  if (!message.cancel_scope.empty()) {
    auto const known = by_id_.find(call_key(message.cancel_scope, message.id));
    if (known != by_id_.end() && known->second == &call) by_id_.erase(known);
    auto const load = load_.find(message.cancel_scope);
    if (--load->second == 0) load_.erase(load);
  }
  server_.counters().in_flight.add(-1);
  server_.counters().seconds.observe(
      std::chrono::duration<double>(Clock::now() - call.started).count());
  if (call.on_end != nullptr) *call.on_end = true;
  calls_.erase(call.position);
  co_return Result<void>{};
}

void Dispatcher::conclude(Call& call, Result<std::string> outcome) {
  if (auto* const task = call.task()) {
    task->running = false;
    task->cancel_call = nullptr;
    if (is_terminal(task->state.status)) {
      task->state.result.reset();  // cancelled: what came after does not count
      return;
    }
    task->state.pending.clear();
    if (outcome && task->state.result) {
      task->state.result = in_storage_of_its_own(*task->state.result);
      tasks_.set_status(*task, TaskStatus::Completed);
    } else {
      auto const error =
          outcome ? fail(Errc::Internal, "The task has no result.") : outcome.error();
      task->state.error = call.refusal().value_or(to_rpc_error(error));
      tasks_.set_status(*task, TaskStatus::Failed, task->state.error->message);
    }
    task_changed(*task);
    return;
  }
  if (outcome && !call.is_given_up()) {
    auto whole = call.take_whole_answer();
    call.finish(whole ? std::move(*whole) : result_answer(call.message().id, *outcome));
    return;
  }
  if (outcome) outcome = fail(Errc::Cancelled, "The request was cancelled.");
  call.finish(failure_answer(call, outcome.error()));
}

std::string Dispatcher::too_long(Call const& call) const {
  if (call.has_own_bounds()) return "The call took too long.";
  return fmt::format("The call took longer than limits.call_timeout allows ({} s).",
                     server_.options().call_timeout.count());
}

Answer Dispatcher::failure_answer(Call& call, Error const& error) const {
  auto const& message = call.message();
  if (error.code == Errc::InputRequired && !call.refusal() && !call.is_given_up()) {
    auto const binding =
        input_binding(message.context.principal.key(), message.method, message.params);
    auto const expires = WallClock::now() + server_.options().input_lifetime;
    json::Object result{
        {"inputRequests", input_requests_object(call.open_questions(), message.revision)},
        {"requestState", seal_rounds(server_.sealer(), binding, call.rounds(), expires)}};
    return result_answer(message.id,
                         format_.wrap(result, message.revision, Cacheable::No, "input_required"));
  }
  server_.counters().errors.add();
  auto const reason = call.cancel_reason;
  if (call.is_given_up()) {
    server_.counters().cancelled.add();
    return {};  // nothing may be sent for a request that the client gave up
  }
  auto failure = call.refusal().value_or(to_rpc_error(error));
  if (reason == CancelReason::TimedOut) failure.message = too_long(call);
  if (reason == CancelReason::ShuttingDown) failure.message = "The server is shutting down.";
  if (error.code == Errc::Internal && !call.refusal()) {
    log::error("call failed", {{"request", message.context.request_id},
                               {"method", message.method},
                               {"error", error.message},
                               {"detail", error.detail}});
  }
  return error_answer(message.id, failure, message.revision);
}

Dispatcher::Opened Dispatcher::open_session(RequestMessage const& message,
                                            Principal const& principal) {
  auto const* wanted = json::find_string(message.params, "protocolVersion");
  if (wanted == nullptr) {
    auto const error = invalid_params("'params.protocolVersion' is missing or not a string.");
    return {nullptr, error_answer(message.id, error, kLatestLegacy)};
  }
  auto revision = parse_revision(json::view(*wanted));
  if (!revision || is_modern(*revision)) revision = server_.options().preferred_legacy;
  Session::Agreement agreement{.revision = *revision, .principal = principal.key()};
  // Copied into storage of their own: other loops will read them.
  if (auto const* capabilities = json::find_object(message.params, "capabilities")) {
    agreement.capabilities = json::Object(*capabilities, json::Storage{});
  }
  if (auto const* info = json::find_object(message.params, "clientInfo")) {
    agreement.client_info = json::Object(*info, json::Storage{});
  }
  auto session = server_.sessions().open(std::move(agreement));
  json::Object result{{"protocolVersion", to_string(*revision)},
                      {"capabilities", registry_->capabilities(*revision)},
                      {"serverInfo", format_.server_info()}};
  if (!has_titles_and_meta(*revision)) result["serverInfo"].get_object().erase("title");
  auto const& instructions = server_.options().instructions;
  if (!instructions.empty()) result["instructions"] = instructions;
  return {std::move(session), result_answer(message.id, format_.wrap(result, *revision))};
}

void Dispatcher::handle_notification(NotificationMessage const& message,
                                     std::string const& cancel_scope) {
  if (message.method != "notifications/cancelled") return;  // the others need no action
  auto const* id = json::find(message.params, "requestId");
  if (id != nullptr && !cancel_scope.empty()) server_.cancel(cancel_scope, *id);
}

void Dispatcher::abandon(Outlet& outlet, PeerGone what) {
  for (auto const& call : calls_) {
    if (!call->uses(outlet)) continue;
    call->detach_outlet();
    if (what == PeerGone::Cancels) stop_call(*call, CancelReason::Disconnected);
    return;
  }
}

void Dispatcher::end_subscription(Outlet& outlet) {
  for (auto const& call : calls_) {
    if (!call->uses(outlet)) continue;
    if (call->message().method == "subscriptions/listen") {
      stop_call(*call, CancelReason::ShuttingDown);
    }
    return;
  }
}

void Dispatcher::attach_stream(std::shared_ptr<Session> session, Outlet& outlet) {
  listeners_.attach(std::move(session), outlet);
}

void Dispatcher::detach_stream(Outlet& outlet) {
  listeners_.detach(outlet);
}

void Dispatcher::stop_call(Call& call, CancelReason reason) {
  // One signal lets a handler say goodbye in peace; at the end of the server it gets another.
  bool const stopped = call.cancel_reason != CancelReason::None;
  if (stopped && reason != CancelReason::ShuttingDown) return;
  if (!stopped) call.cancel_reason = reason;
  if (call.child) (*call.child)->emit(asio::cancellation_type::terminal);
}

void Dispatcher::cancel(std::string const& key) {
  auto const found = by_id_.find(key);
  // A request that has become a task lives on; the task has its own way to be cancelled.
  if (found == by_id_.end() || found->second->task() != nullptr) return;
  stop_call(*found->second, CancelReason::ByClient);
}

void Dispatcher::end_session(std::string const& session) {
  listeners_.close_session(session);
  std::vector<Call*> ended;
  for (auto const& call : calls_) {
    if (call->message().session && call->message().session->id() == session) {
      ended.push_back(call.get());
    }
  }
  for (auto* call : ended) stop_call(*call, CancelReason::ByClient);
}

void Dispatcher::task_changed(TaskStore::Entry const& entry) {
  server_.publish(
      {.kind = Event::Kind::TaskChanged,
       .subject = entry.state.id,
       .task = json::Object(detailed_task_object(entry.state, tasks_.limits()), json::Storage{}),
       .owner = entry.state.owner});
}

void Dispatcher::deliver(Event const& event) {
  if (event.kind == Event::Kind::TaskChanged) task_changed_.cancel();
  listeners_.deliver(event);
}

void Dispatcher::sweep() {
  auto const now = Clock::now();
  std::vector<Call*> overdue;
  for (auto const& call : calls_) {
    bool const listens = call->message().method == "subscriptions/listen";
    bool const late = call->overdue_at() < now && !listens && call->task() == nullptr;
    if (late) overdue.push_back(call.get());
  }
  for (auto* call : overdue) stop_call(*call, CancelReason::TimedOut);
  listeners_.close_ended_sessions();
  tasks_.remove_expired(WallClock::now());
  sessions_.drop_closed();
}

Async<void> Dispatcher::stop() {
  stopping_ = true;
  listeners_.close_all();
  std::vector<Call*> running;
  for (auto const& call : calls_) running.push_back(call.get());
  for (auto* call : running) stop_call(*call, CancelReason::ShuttingDown);
  co_await group_.join();
}

}  // namespace sallyport::mcp
