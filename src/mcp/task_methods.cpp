// tasks/*: the extension of 2026-07-28, and the experimental form of 2025-11-25. A task lives on
// the loop that started it; questions from other loops go there and back as values.
#include "src/mcp/codec.hpp"
#include "src/mcp/dispatcher.hpp"
#include "src/mcp/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace sallyport::mcp {
namespace {

using Act = std::function<Result<void>(Dispatcher& home, TaskStore::Entry& entry)>;

Error no_such_task() {
  return fail(Errc::InvalidInput, "'params.taskId' names no task.");
}

Task<TaskSnapshot> act_at_home(Dispatcher& home, std::string id, std::string owner, Act act) {
  auto* const entry = home.tasks().find(id, owner);
  if (entry == nullptr) co_return no_such_task();
  if (act) SP_CO_CHECK(act(home, *entry));
  co_return entry->state;
}

// Finds the caller's task, does `act` to it on its own loop, and gives its state after that.
Task<TaskSnapshot> with_task(Dispatcher& here, Call const& call, Act act = {}) {
  SP_CO_TRY(auto id, string_param(call.message().params, "taskId"));
  auto const loop = TaskStore::loop_of(id);
  auto const& loops = here.server().loops();
  if (!loop || *loop >= loops.size()) co_return no_such_task();
  auto& home = here.server().dispatcher(*loop);
  auto there = act_at_home(home, std::move(id), call.message().owner(), std::move(act));
  if (*loop == here.loop()) co_return co_await std::move(there);
  co_return co_await run_on(loops.executor(*loop), std::move(there));
}

// The extension must be declared on each request that uses it.
Result<void> check_declared(Call& call) {
  if (!is_modern(call.message().revision) || call.client_has_tasks()) return {};
  auto error =
      missing_capability({}, {{"extensions", json::Object{{kTasksExtension, json::Object{}}}}});
  call.refuse(std::move(*error));
  return fail(Errc::ClientCapabilityMissing, "The request needs the tasks extension.");
}

Result<void> cancel_at_home(Dispatcher& home, TaskStore::Entry& entry) {
  if (is_terminal(entry.state.status)) return {};
  home.tasks().set_status(entry, TaskStatus::Cancelled, "Cancelled by the client.");
  home.task_changed(entry);
  if (entry.cancel_call) entry.cancel_call();
  return {};
}

Result<void> answer_at_home(Dispatcher& home, TaskStore::Entry& entry,
                            InputResponses const& responses) {
  for (auto const& [key, response] : responses) {
    auto const pending = entry.state.pending.find(key);
    if (pending == entry.state.pending.end()) continue;  // unknown or answered: ignored
    SP_CHECK(check_answer(key, pending->second, response));
    entry.answers.insert_or_assign(key, response);
    entry.state.pending.erase(pending);
  }
  home.task_changed(entry);
  entry.answered.cancel();
  return {};
}

std::string task_text(Dispatcher& dispatcher, Call const& call, TaskSnapshot const& task) {
  auto const revision = call.message().revision;
  auto const& limits = dispatcher.tasks().limits();
  return dispatcher.format().wrap(
      is_modern(revision) ? detailed_task_object(task, limits) : core_task_object(task, limits),
      revision);
}

json::Object related_task(std::string const& id) {
  return {{meta::kRelatedTask, json::Object{{"taskId", id}}}};
}

// 2025-11-25: while `tasks/result` waits, it carries the task's questions to the client.
Task<void> relay_questions(Dispatcher& dispatcher, Call& call, TaskSnapshot const& task) {
  SP_CO_CHECK(call.check_reachable());
  InputResponses responses;
  for (auto const& [key, question] : task.pending) {
    PendingReplies::Waiter waiter{dispatcher.replies(), call.message().session->id()};
    auto params = codec::input_params(question, call.message().revision);
    params["_meta"] = related_task(task.id);
    call.send(mcp::request(waiter.id(), codec::input_method(question.kind), std::move(params)));
    SP_CO_TRY(auto answer, co_await waiter.wait());
    responses.emplace(key, json::Object(answer, json::Storage{}));
  }
  auto answered =
      co_await with_task(dispatcher, call, [responses](Dispatcher& home, TaskStore::Entry& entry) {
        return answer_at_home(home, entry, responses);
      });
  if (!answered) co_return answered.error();
  co_return Result<void>{};
}

}  // namespace

Task<std::string> get_task(Dispatcher& dispatcher, Call& call) {
  SP_CO_CHECK(check_declared(call));
  SP_CO_TRY(auto const task, co_await with_task(dispatcher, call));
  co_return task_text(dispatcher, call, task);
}

Task<std::string> update_task(Dispatcher& dispatcher, Call& call) {
  SP_CO_CHECK(check_declared(call));
  auto const* const given = json::find_object(call.message().params, "inputResponses");
  if (given == nullptr) {
    co_return fail(Errc::InvalidInput, "'params.inputResponses' is missing or not an object.");
  }
  InputResponses responses;
  for (auto const& [key, answer] : *given) {
    if (!answer.is_object()) {
      co_return fail(Errc::InvalidInput, fmt::format("'params.inputResponses.{}' is not an object.",
                                                     std::string_view{key}));
    }
    // Copied into storage of its own: the task may live on another loop.
    responses.emplace(key, json::Object(answer.get_object(), json::Storage{}));
  }
  SP_CO_TRY(
      auto const task,
      co_await with_task(dispatcher, call, [responses](Dispatcher& home, TaskStore::Entry& entry) {
        return answer_at_home(home, entry, responses);
      }));
  co_return dispatcher.format().empty(call.message().revision);
}

Task<std::string> cancel_task(Dispatcher& dispatcher, Call& call) {
  SP_CO_CHECK(check_declared(call));
  bool const modern = is_modern(call.message().revision);
  SP_CO_TRY(auto const task,
            co_await with_task(dispatcher, call,
                               [modern](Dispatcher& home, TaskStore::Entry& entry) -> Result<void> {
                                 if (!modern && is_terminal(entry.state.status)) {
                                   return fail(Errc::InvalidInput, "The task has already ended.");
                                 }
                                 return cancel_at_home(home, entry);
                               }));
  if (modern) co_return dispatcher.format().empty(call.message().revision);
  co_return task_text(dispatcher, call, task);
}

Task<std::string> task_result(Dispatcher& dispatcher, Call& call) {
  for (;;) {
    SP_CO_TRY(auto const task, co_await with_task(dispatcher, call));
    if (task.result) {
      auto result = *task.result;
      result.meta = related_task(task.id);
      co_return dispatcher.format().wrap(
          codec::tool_result(std::move(result), call.message().revision), call.message().revision);
    }
    if (is_terminal(task.status)) {
      call.refuse(task.error.value_or(RpcError{code::kInternalError, "The task was cancelled."}));
      co_return fail(Errc::Internal, "The task has no result.");
    }
    if (!task.pending.empty()) {
      SP_CO_CHECK(co_await relay_questions(dispatcher, call, task));
    } else {
      co_await dispatcher.task_event();
    }
    if (call.cancel_reason != CancelReason::None) {
      co_return fail(Errc::Cancelled, "The request was cancelled.");
    }
  }
}

Task<std::string> list_tasks(Dispatcher& dispatcher, Call& call) {
  auto& server = dispatcher.server();
  auto const owner = call.message().owner();
  std::vector<TaskSnapshot> found;
  for (std::size_t loop = 0; loop < server.loops().size(); ++loop) {
    auto there = [](Dispatcher& home, std::string who) -> Task<std::vector<TaskSnapshot>> {
      co_return home.tasks().list(who);
    }(server.dispatcher(loop), owner);
    SP_CO_TRY(auto part, co_await run_on(server.loops().executor(loop), std::move(there)));
    std::ranges::move(part, std::back_inserter(found));
  }
  json::Array tasks;
  for (auto const& task : found) {
    tasks.push_back(core_task_object(task, dispatcher.tasks().limits()));
  }
  co_return dispatcher.format().wrap(json::Object{{"tasks", std::move(tasks)}},
                                     call.message().revision);
}

}  // namespace sallyport::mcp
