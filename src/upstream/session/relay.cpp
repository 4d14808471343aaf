#include "src/upstream/session/relay.hpp"

#include "src/base/random_id.hpp"
#include "src/json/write.hpp"

#include <utility>

namespace sallyport::upstream {
namespace {

using mcp::InputKind;
using mcp::client::Answers;
using mcp::client::Inquiry;
using mcp::client::Outcome;

// Members of what a stateless client keeps for us.
constexpr std::string_view kParked = "parked";
constexpr std::string_view kState = "state";

// What of a client's abilities a server can make use of through us.
json::Object relayable(json::Object const& declared) {
  json::Object relayed;
  for (auto const* const name : {"elicitation", "sampling", "roots"}) {
    if (auto const* const ability = json::find(declared, name)) relayed[name] = *ability;
  }
  constexpr std::string_view kPages = "io.modelcontextprotocol/ui";
  auto const* const extensions = json::find_object(declared, "extensions");
  if (extensions != nullptr && extensions->contains(kPages)) {
    relayed["extensions"] = json::Object{{kPages, extensions->at(kPages)}};
  }
  return relayed;
}

std::optional<InputKind> kind_of(mcp::client::Question const& question) {
  if (question.method == "roots/list") return InputKind::Roots;
  if (question.method == "sampling/createMessage") {
    return question.params.contains("tools") ? InputKind::SamplingWithTools : InputKind::Sampling;
  }
  if (question.method != "elicitation/create") return std::nullopt;
  auto const* const mode = json::find_string(question.params, "mode");
  return mode != nullptr && *mode == "url" ? InputKind::UrlElicitation : InputKind::Elicitation;
}

// Fails with ClientCapabilityMissing: the server hears so, and may go on without.
Result<mcp::InputRequests> requests_of(mcp::CallContext const& call, Inquiry const& inquiry) {
  mcp::InputRequests requests;
  for (auto const& [key, question] : inquiry.questions) {
    auto const kind = kind_of(question);
    if (!kind || !call.can_ask(*kind)) {
      return fail(Errc::ClientCapabilityMissing,
                  "The MCP server needs a client that supports " + question.method + ".");
    }
    auto params = question.params;
    // 2025-11-25 wants one; later revisions have none.
    if (*kind == InputKind::UrlElicitation && !params.contains("elicitationId")) {
      params["elicitationId"] = random_id(12);
    }
    requests.emplace(key, mcp::InputRequest{*kind, std::move(params), true});
  }
  return requests;
}

void pass_on(mcp::CallContext& call, Progressed const& progressed) {
  auto const number = [&](std::string_view name) -> std::optional<double> {
    auto const* const value = json::find(progressed.params, name);
    if (value == nullptr || !value->is_number()) return std::nullopt;
    return value->to_number<double>();
  };
  auto const* const message = json::find_string(progressed.params, "message");
  if (auto const done = number("progress")) {
    call.progress(*done, number("total"), message == nullptr ? "" : json::view(*message));
  }
}

void pass_on(mcp::CallContext& call, Logged const& logged) {
  auto const* const level = json::find_string(logged.params, "level");
  auto const* const logger = json::find_string(logged.params, "logger");
  auto const* const data = json::find(logged.params, "data");
  auto const known = level == nullptr ? std::nullopt : mcp::parse_log_level(json::view(*level));
  call.log(known.value_or(mcp::LogLevel::Info), data == nullptr ? json::Value{} : *data,
           logger == nullptr ? "" : json::view(*logger));
}

void pass_on(mcp::CallContext& call, mcp::NotificationMessage const& message) {
  if (!message.method.starts_with("notifications/")) return;
  call.notify(message.method, json::to_text(message.params));
}

// Whoever leaves without the outcome has the server told.
class GivesUp {
 public:
  explicit GivesUp(std::shared_ptr<Errand> errand) : errand_{std::move(errand)} {}
  ~GivesUp() {
    if (errand_) errand_->give_up();
  }
  GivesUp(GivesUp const&) = delete;
  GivesUp& operator=(GivesUp const&) = delete;

  std::shared_ptr<Errand> const& errand() const noexcept { return errand_; }
  void done() noexcept { errand_.reset(); }

 private:
  std::shared_ptr<Errand> errand_;
};

}  // namespace

Task<Outcome> Relay::request(mcp::CallContext& call, Relayed relayed) const {
  auto const inbox = std::make_shared<Inbox>(co_await asio::this_coro::executor);
  SP_CO_TRY(auto begun, begin(call, std::move(relayed), inbox));
  GivesUp waiting{std::move(begun.errand)};
  for (;;) {
    if (begun.open) {
      auto inquiry = *std::exchange(begun.open, std::nullopt);
      bool const server_waits = inquiry.server_waits;
      auto const asked = co_await ask(call, waiting.errand(), std::move(inquiry));
      if (!asked) {
        if (asked.error().code == Errc::InputRequired && server_waits) waiting.done();  // parked
        co_return asked.error();
      }
    }
    SP_CO_TRY(auto said, co_await inbox->next());
    if (auto* const ended = std::get_if<Ended>(&said)) {
      waiting.done();
      co_return std::move(ended->outcome);
    }
    if (auto* const inquiry = std::get_if<Inquiry>(&said)) begun.open = std::move(*inquiry);
    if (auto const* const progressed = std::get_if<Progressed>(&said)) pass_on(call, *progressed);
    if (auto const* const logged = std::get_if<Logged>(&said)) pass_on(call, *logged);
    if (auto const* const notice = std::get_if<mcp::NotificationMessage>(&said)) {
      pass_on(call, *notice);
    }
  }
}

Result<Relay::Begun> Relay::begin(mcp::CallContext& call, Relayed relayed,
                                  std::shared_ptr<Inbox> inbox) const {
  auto back = call.resume();
  if (back && back->kept.contains(kParked)) return take_up(std::move(*back), std::move(inbox));
  relayed.params.erase("inputResponses");
  relayed.params.erase("requestState");
  if (back) {
    if (auto const* const state = json::find(back->kept, kState); !state->is_null()) {
      relayed.params["requestState"] = *state;
    }
    json::Object answers;
    for (auto& [key, answer] : back->answers) answers[key] = std::move(answer);
    relayed.params["inputResponses"] = std::move(answers);
  }
  auto about = call.request();
  about.deadline = {};  // a parked request outlives the call that made it
  about.is_recorded = relayed.is_recorded;
  Errand::Job job{.ask = {.method = std::move(relayed.method),
                          .params = std::move(relayed.params),
                          .capabilities = relayable(call.client_capabilities()),
                          .log_level = call.wanted_logs(),
                          .mirrored = relayed.mirrored,
                          .patience = relayed.patience},
                  .about = std::move(about),
                  .keeps = std::move(relayed.keeps)};
  return Begun{.errand = start_(std::move(job), std::move(inbox)), .open = std::nullopt};
}

Result<Relay::Begun> Relay::take_up(mcp::Resumption back, std::shared_ptr<Inbox> inbox) const {
  auto const* const handle = json::find_string(back.kept, kParked);
  auto parked = handle == nullptr ? std::nullopt : parked_.take(std::string{json::view(*handle)});
  if (!parked) {
    return fail(Errc::InvalidInput,
                "The call that waited for this answer has ended. Make the call again.");
  }
  parked->errand->attach(std::move(inbox));
  Answers answers;
  for (auto const& [key, question] : parked->inquiry.questions) {
    auto const found = back.answers.find(key);
    // It is asked again for what it did not say.
    if (found == back.answers.end()) {
      return Begun{.errand = std::move(parked->errand), .open = std::move(parked->inquiry)};
    }
    answers.emplace(key, std::move(found->second));
  }
  parked->errand->answer(std::move(answers));
  return Begun{.errand = std::move(parked->errand), .open = std::nullopt};
}

// Asks the client; the server hears the answer, or that there is none. Fails where the call ends.
Task<void> Relay::ask(mcp::CallContext& call, std::shared_ptr<Errand> const& errand,
                      Inquiry inquiry) const {
  auto requests = requests_of(call, inquiry);
  if (!requests) {
    errand->refuse(requests.error());
    co_return Result<void>{};
  }
  auto answers = co_await call.ask(std::move(*requests));
  if (answers) {
    errand->answer(std::move(*answers));
    co_return Result<void>{};
  }
  if (answers.error().code != Errc::InputRequired) {
    errand->refuse(answers.error());
    co_return Result<void>{};
  }
  co_return wait_for_client(call, errand, std::move(inquiry), answers.error());
}

Error Relay::wait_for_client(mcp::CallContext& call, std::shared_ptr<Errand> const& errand,
                             Inquiry inquiry, Error required) const {
  if (!inquiry.server_waits) {
    json::Value state;
    if (inquiry.request_state) state = json::Value(*inquiry.request_state);
    call.keep({{kState, std::move(state)}});
    return required;
  }
  errand->attach(nullptr);
  auto handle = parked_.park({errand, std::move(inquiry), call.request().principal.key()});
  if (!handle) return handle.error();
  call.keep({{kParked, *handle}});
  return required;
}

}  // namespace sallyport::upstream
