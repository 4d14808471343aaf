#include "src/mcp/call.hpp"

#include "src/json/write.hpp"
#include "src/mcp/codec.hpp"
#include "src/mcp/dispatcher.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace sallyport::mcp {
namespace {

// The client capability that lets it answer such a question, as an object.
json::Object required_capability(InputKind kind) {
  switch (kind) {
    case InputKind::Elicitation: return {{"elicitation", json::Object{{"form", json::Object{}}}}};
    case InputKind::UrlElicitation: return {{"elicitation", json::Object{{"url", json::Object{}}}}};
    case InputKind::Sampling: return {{"sampling", json::Object{}}};
    case InputKind::SamplingWithTools:
      return {{"sampling", json::Object{{"tools", json::Object{}}}}};
    case InputKind::Roots: return {{"roots", json::Object{}}};
  }
  return {};
}

// Puts off the end of a call while its client is asked: by as long as a stateless client may take
// at most, and by as long as this one took once that is known.
class PutsOff {
 public:
  PutsOff(Clock::time_point& end, Clock::duration longest) : end_{end}, longest_{longest} {
    end_ += longest_;
  }
  ~PutsOff() { end_ += Clock::now() - begun_ - longest_; }
  PutsOff(PutsOff const&) = delete;
  PutsOff& operator=(PutsOff const&) = delete;

 private:
  Clock::time_point& end_;
  Clock::duration longest_;
  Clock::time_point begun_{Clock::now()};
};

Error cancelled() {
  return fail(Errc::Cancelled, "The request was cancelled.");
}

}  // namespace

Call::Call(Dispatcher& dispatcher, Request request, Outlet& outlet,
           std::shared_ptr<Registry const> registry)
    : dispatcher_{dispatcher},
      request_{owned(std::move(request))},
      outlet_{&outlet},
      registry_{std::move(registry)},
      overdue_at_{started + dispatcher.server().options().call_timeout} {
  request_.headers = nullptr;  // gone once the request has been taken in
  request_.context.client = request_.client();
  if (request_.session) request_.context.session = request_.session->id();
}

void Call::send(std::string message) {
  if (outlet_ == nullptr || is_given_up() || !outlet_->can_send()) return;
  outlet_->send(std::move(message));
}

void Call::finish(Answer answer) {
  if (outlet_ == nullptr) return;
  std::exchange(outlet_, nullptr)->finish(std::move(answer));
}

void Call::progress(double done, std::optional<double> total, std::string_view message) {
  auto const* token = request_.progress_token();
  if (token == nullptr || outlet_ == nullptr) return;
  if (last_progress_ && done <= *last_progress_) return;
  last_progress_ = done;
  json::Object params{{"progressToken", *token}, {"progress", done}};
  if (total) params["total"] = *total;
  if (!message.empty() && has_progress_message(request_.revision)) params["message"] = message;
  send(notification("notifications/progress", std::move(params)));
}

bool Call::hears_notifications() const {
  return outlet_ != nullptr && !is_given_up() && outlet_->can_send();
}

bool Call::hears_progress() const {
  return request_.progress_token() != nullptr && hears_notifications();
}

void Call::progress_with(double done, std::string_view meta) {
  if (!hears_progress() || (last_progress_ && done <= *last_progress_)) return;
  last_progress_ = done;
  // Written by hand: the text may be long, and is JSON already.
  std::string params = R"({"progressToken":)";
  params.reserve(meta.size() + 128);
  json::write(*request_.progress_token(), params);
  params += R"(,"progress":)";
  json::write(json::Value(done), params);
  params += R"(,"_meta":)";
  params += meta;
  params += '}';
  notify("notifications/progress", params);
}

void Call::notify(std::string_view method, std::string_view params) {
  if (!hears_notifications()) return;
  send(notification_text(method, params));
}

std::size_t Call::unheard_bytes() const {
  return outlet_ == nullptr ? 0 : outlet_->unsent_bytes();
}

void Call::log(LogLevel level, json::Value data, std::string_view logger) {
  auto const wanted = wanted_logs();
  if (!wanted || level < *wanted) return;
  json::Object params{{"level", to_string(level)}, {"data", std::move(data)}};
  if (!logger.empty()) params["logger"] = logger;
  send(notification("notifications/message", std::move(params)));
}

std::optional<LogLevel> Call::wanted_logs() const {
  if (request_.session) return request_.session->log_level();
  return request_.envelope.log_level;
}

json::Object Call::request_meta() const {
  auto const* const given = json::find_object(request_.params, "_meta");
  return given == nullptr ? json::Object{} : *given;
}

void Call::refuse(RpcError error) {
  // Codes of the new era mean nothing to an older client.
  bool const unknown =
      error.code <= code::kHeaderMismatch && error.code >= code::kUnsupportedVersion;
  if (unknown && !is_modern(request_.revision)) {
    error.code = code::kInternalError;
    error.http_status = 200;
  }
  refusal_ = std::move(error);
}

void Call::may_take(std::chrono::milliseconds time) {
  has_own_bounds_ = true;
  overdue_at_ = std::max(overdue_at_, Clock::now() + time);
}

InputRounds Call::rounds() const {
  if (!kept_.empty()) return {.answers = {}, .kept = kept_};
  return {.answers = answers_, .kept = {}};
}

std::optional<Resumption> Call::resume() {
  if (brought_back_.empty()) return std::nullopt;
  return Resumption{.kept = std::exchange(brought_back_, {}),
                    .answers = std::exchange(answers_, {})};
}

bool Call::can_ask(InputKind kind) const {
  auto const& capabilities = request_.capabilities();
  auto const* elicitation = json::find_object(capabilities, "elicitation");
  auto const* sampling = json::find_object(capabilities, "sampling");
  switch (kind) {
    // `{}` means forms.
    case InputKind::Elicitation:
      return elicitation != nullptr &&
             (elicitation->contains("form") || !elicitation->contains("url"));
    case InputKind::UrlElicitation: return elicitation != nullptr && elicitation->contains("url");
    case InputKind::Sampling: return sampling != nullptr;
    case InputKind::SamplingWithTools: return sampling != nullptr && sampling->contains("tools");
    case InputKind::Roots: return json::find_object(capabilities, "roots") != nullptr;
  }
  return false;
}

std::optional<Error> Call::check_can_ask(InputRequests const& requests) {
  for (auto const& [key, request] : requests) {
    if (can_ask(request.kind)) continue;
    auto const method = codec::input_method(request.kind);
    if (is_modern(request_.revision)) {
      refuse({code::kMissingCapability,
              fmt::format("The call needs a client capability for {}.", method),
              json::Object{{"requiredCapabilities", required_capability(request.kind)}}, 400});
    }
    return fail(Errc::ClientCapabilityMissing,
                fmt::format("This needs a client that supports {}.", method));
  }
  return std::nullopt;
}

std::optional<RpcError> Call::read_input_rounds() {
  if (!is_modern(request_.revision)) return std::nullopt;
  if (auto const* state = request_.params.if_contains("requestState")) {
    auto const* sealed = state->if_string();
    if (sealed == nullptr) return invalid_params("'requestState' is not a string.");
    auto const binding =
        input_binding(request_.context.principal.key(), request_.method, request_.params);
    auto opened =
        open_rounds(dispatcher_.server().sealer(), binding, json::view(*sealed), WallClock::now());
    if (!opened) return invalid_params(opened.error().message);
    answers_ = std::move(opened->answers);
    brought_back_ = std::move(opened->kept);
  }
  auto const* given = request_.params.if_contains("inputResponses");
  if (given == nullptr) return std::nullopt;
  if (!given->is_object()) return invalid_params("'inputResponses' is not an object.");
  for (auto const& [key, answer] : given->get_object()) {
    if (!answer.is_object()) {
      return invalid_params(
          fmt::format("'inputResponses.{}' is not an object.", std::string_view{key}));
    }
    answers_.insert_or_assign(std::string{key}, answer.get_object());
  }
  return std::nullopt;
}

Task<InputResponses> Call::ask(InputRequests requests) {
  if (auto const error = check_can_ask(requests)) co_return *error;
  if (task_ != nullptr) co_return co_await ask_for_task(std::move(requests));
  if (is_modern(request_.revision)) co_return co_await ask_in_rounds(std::move(requests));
  co_return co_await ask_by_requests(std::move(requests));
}

Task<InputResponses> Call::ask_in_rounds(InputRequests requests) {
  InputResponses found;
  for (auto& [key, request] : requests) {
    auto const answer = answers_.find(key);
    if (answer == answers_.end()) {
      open_questions_.emplace(key, std::move(request));
      continue;
    }
    if (auto const checked = check_answer(key, request, answer->second); !checked) {
      refuse(invalid_params(checked.error().message));
      co_return checked.error();
    }
    found.emplace(key, answer->second);
  }
  if (!open_questions_.empty()) co_return fail(Errc::InputRequired, "Input is required.");
  co_return found;
}

Result<void> Call::check_reachable() const {
  if (outlet_ != nullptr && outlet_->can_send()) return {};
  return fail(Errc::ClientCapabilityMissing,
              "The client cannot be asked: it takes no event stream.");
}

Task<InputResponses> Call::ask_by_requests(InputRequests requests) {
  SP_CO_CHECK(check_reachable());
  // All are asked before the first answer is awaited: the user sees them together.
  std::deque<PendingReplies::Waiter> waiters;
  for (auto const& [key, request] : requests) {
    auto& waiter = waiters.emplace_back(dispatcher_.replies(), request_.session->id());
    send(mcp::request(waiter.id(), codec::input_method(request.kind),
                      codec::input_params(request, request_.revision)));
  }
  PutsOff const asking{overdue_at_, dispatcher_.server().options().input_lifetime};
  InputResponses found;
  auto waiter = waiters.begin();
  for (auto const& [key, request] : requests) {
    SP_CO_TRY(auto answer, co_await (waiter++)->wait());
    SP_CO_CHECK(check_answer(key, request, answer));
    found.emplace(key, std::move(answer));
  }
  co_return found;
}

Task<InputResponses> Call::ask_for_task(InputRequests requests) {
  auto& state = task_->state;
  for (auto const& [key, request] : requests) {
    // In storage of their own: other loops will read them.
    state.pending.insert_or_assign(
        key, InputRequest{request.kind, json::Object(request.params, json::Storage{})});
  }
  dispatcher_.tasks().set_status(*task_, TaskStatus::InputRequired);
  dispatcher_.task_changed(*task_);
  while (!state.pending.empty()) {
    co_await task_->answered.async_wait(use_tuple);
    if (cancel_reason != CancelReason::None) co_return cancelled();
  }
  dispatcher_.tasks().set_status(*task_, TaskStatus::Working);
  dispatcher_.task_changed(*task_);
  InputResponses found;
  for (auto const& [key, request] : requests) {
    found.emplace(key, task_->answers.at(key));
  }
  co_return found;
}

bool Call::client_has_tasks() const {
  if (!is_modern(request_.revision)) {
    return has_core_tasks(request_.revision) && request_.params.contains("task");
  }
  auto const* extensions = json::find_object(request_.capabilities(), "extensions");
  return extensions != nullptr && extensions->contains(kTasksExtension);
}

Task<void> Call::start_task() {
  if (task_ == nullptr && client_has_tasks()) SP_CO_CHECK(become_task(std::nullopt));
  co_return Result<void>{};
}

Result<void> Call::become_task(std::optional<std::chrono::milliseconds> ttl) {
  auto& tasks = dispatcher_.tasks();
  SP_TRY(auto* const entry, tasks.create(request_.owner(), ttl));
  task_ = entry;
  entry->cancel_call = [this] { dispatcher_.stop_call(*this, CancelReason::ByClient); };
  auto const revision = request_.revision;
  auto const& format = dispatcher_.format();
  auto const text =
      is_modern(revision)
          ? format.wrap(task_object(entry->state, tasks.limits()), revision, Cacheable::No, "task")
          : format.wrap(json::Object{{"task", core_task_object(entry->state, tasks.limits())}},
                        revision);
  finish(result_answer(request_.id, text));
  return {};
}

void Call::release_connection(std::chrono::milliseconds come_back_after) {
  if (outlet_ != nullptr) outlet_->release(come_back_after);
}

void Call::publish(Event event) {
  dispatcher_.server().publish(std::move(event));
}

}  // namespace sallyport::mcp
