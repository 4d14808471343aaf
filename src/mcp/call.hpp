// A call in flight: the handler's view of it (CallContext), and the dispatcher's.
#pragma once

#include "src/base/task_group.hpp"
#include "src/mcp/call_context.hpp"
#include "src/mcp/input_state.hpp"
#include "src/mcp/outlet.hpp"
#include "src/mcp/registry.hpp"
#include "src/mcp/request.hpp"
#include "src/mcp/task_store.hpp"

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace sallyport::mcp {

class Dispatcher;

enum class CancelReason { None, ByClient, Disconnected, TimedOut, ShuttingDown };

class Call final : public CallContext {
 public:
  Call(Dispatcher& dispatcher, Request request, Outlet& outlet,
       std::shared_ptr<Registry const> registry);

  // CallContext
  RequestContext const& request() const noexcept override { return request_.context; }
  void progress(double done, std::optional<double> total, std::string_view message) override;
  bool hears_progress() const override;
  bool hears_notifications() const override;
  void progress_with(double done, std::string_view meta) override;
  void notify(std::string_view method, std::string_view params) override;
  std::size_t unheard_bytes() const override;
  void log(LogLevel level, json::Value data, std::string_view logger) override;
  bool can_ask(InputKind kind) const override;
  Task<InputResponses> ask(InputRequests requests) override;
  Task<void> start_task() override;
  bool runs_as_task() const override { return task_ != nullptr; }
  void release_connection(std::chrono::milliseconds come_back_after) override;
  void publish(Event event) override;
  void keep(json::Object state) override { kept_ = std::move(state); }
  std::optional<Resumption> resume() override;
  json::Object client_capabilities() const override { return request_.capabilities(); }
  std::optional<LogLevel> wanted_logs() const override;
  json::Object request_meta() const override;
  void refuse(RpcError error) override;
  void may_take(std::chrono::milliseconds time) override;

  // What follows is the dispatcher's.
  Request const& message() const noexcept { return request_; }
  Registry const& registry() const noexcept { return *registry_; }

  // Reads `inputResponses` and `requestState`. An error: the request must be refused.
  std::optional<RpcError> read_input_rounds();

  // The whole answer, where a handler's result was written as one; for who concludes the call.
  void answer_with(Answer answer) { whole_answer_ = std::move(answer); }
  std::optional<Answer> take_whole_answer() { return std::exchange(whole_answer_, std::nullopt); }

  // Gives the answer; later ones are dropped. Without an outlet (task, peer gone) as well.
  void finish(Answer answer);
  void detach_outlet() noexcept { outlet_ = nullptr; }
  // Fails with ClientCapabilityMissing when send() reaches nobody.
  Result<void> check_reachable() const;
  bool uses(Outlet const& outlet) const noexcept { return outlet_ == &outlet; }
  void send(std::string message);

  // The client wants to hear no more of it, whatever the handler still does.
  bool is_given_up() const noexcept {
    return cancel_reason == CancelReason::ByClient || cancel_reason == CancelReason::Disconnected;
  }

  // A failure of the protocol that the handler's own failure must not hide.
  std::optional<RpcError> const& refusal() const noexcept { return refusal_; }

  // What a stateless client has to answer before the call can go on.
  InputRequests const& open_questions() const noexcept { return open_questions_; }
  // What it will have to bring back.
  InputRounds rounds() const;

  TaskStore::Entry* task() const noexcept { return task_; }
  // Answers the request with a task; the handler goes on for it.
  Result<void> become_task(std::optional<std::chrono::milliseconds> ttl);
  bool client_has_tasks() const;

  // When it has taken too long.
  Clock::time_point overdue_at() const noexcept { return overdue_at_; }
  bool has_own_bounds() const noexcept { return has_own_bounds_; }

  CancelReason cancel_reason{CancelReason::None};
  Clock::time_point started{Clock::now()};
  std::optional<TaskGroup::Child> child;  // once it has waited for something
  bool* on_end{nullptr};                  // set when the call ends while it is being started
  std::list<std::unique_ptr<Call>>::iterator position;

 private:
  Task<InputResponses> ask_in_rounds(InputRequests requests);
  Task<InputResponses> ask_by_requests(InputRequests requests);
  Task<InputResponses> ask_for_task(InputRequests requests);
  std::optional<Error> check_can_ask(InputRequests const& requests);

  Dispatcher& dispatcher_;
  Request request_;
  Outlet* outlet_;
  std::shared_ptr<Registry const> registry_;
  std::optional<double> last_progress_;
  InputResponses answers_;
  InputRequests open_questions_;
  json::Object kept_;
  json::Object brought_back_;
  std::optional<RpcError> refusal_;
  std::optional<Answer> whole_answer_;
  TaskStore::Entry* task_{nullptr};
  Clock::time_point overdue_at_;
  bool has_own_bounds_{false};
};

}  // namespace sallyport::mcp
