#include "src/mcp/client/client.hpp"

#include "src/base/deadline.hpp"
#include "src/base/log.hpp"
#include "src/mcp/client/probe.hpp"
#include "src/mcp/client/question_rounds.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace sallyport::mcp::client {
namespace {

constexpr std::chrono::milliseconds kGoodbye{5'000};
constexpr std::chrono::milliseconds kLookAgain{1'000};
// What the SDKs of older servers say of sessions, with status 400; the protocol has no codes for
// it.
constexpr int kServerError = -32000;
constexpr int kSessionNotFound = -32001;

void note_failure(std::string_view chore, Error const& error) {
  log::debug("a message to an MCP server was not taken",
             {{"message", chore}, {"error", error.message}, {"detail", error.detail}});
}

Error refused_with(int status) {
  if (status == 401 || status == 403) {
    return fail(
        Errc::CredentialUnavailable,
        fmt::format("The MCP server does not let us in: it answered with status {}.", status));
  }
  return fail(Errc::UpstreamFailed,
              status >= 400 ? fmt::format("The MCP server answered with status {}.", status)
                            : "The MCP server ended its answer without a response.");
}

RpcError rpc_error_of(json::Object const& error) {
  auto const* const code = json::find(error, "code");
  auto const* const message = json::find_string(error, "message");
  auto const* const data = json::find(error, "data");
  return {.code = code != nullptr && code->is_int64() ? static_cast<int>(code->get_int64())
                                                      : code::kInternalError,
          .message = message == nullptr ? std::string{} : std::string{json::view(*message)},
          .data = data == nullptr ? json::Value{} : *data};
}

// Whether a refusal by HTTP says that this is not the server that agreed: it has forgotten the
// session, or one of the other era has taken its place.
bool denies(Result<Outcome> const& answer, Agreement const& agreed) {
  if (!answer) {
    bool const silent = answer.error().code == Errc::UpstreamFailed;
    return silent && (is_modern(agreed.revision) || !agreed.session.empty());
  }
  if (!answer->error) return false;
  switch (answer->error->code) {
    case kServerError:
    case kSessionNotFound:
    case code::kInvalidRequest: return true;
    // What an older server has against arguments comes with status 200.
    case code::kInvalidParams:
    case code::kHeaderMismatch:
    case code::kMissingCapability: return !is_modern(agreed.revision);
    default: return false;
  }
}

Error says_nothing() {
  return fail(Errc::NotFound, "The MCP server says nothing by itself.");
}

// What a server says to `subscriptions/listen`, where an error is the end of it.
class Subscription final : public Conversation {
 public:
  explicit Subscription(Conversation& said) : said_{said} {}

  Reception const& reception() const noexcept override { return said_.reception(); }
  Task<std::optional<Message>> next() override {
    SP_CO_TRY(auto next, co_await said_.next());
    auto const code = next ? error_code_of(*next) : std::nullopt;
    if (code == code::kMethodNotFound) co_return says_nothing();
    if (code) {
      co_return fail(Errc::UpstreamFailed,
                     fmt::format("The MCP server answered a subscription with error {}.", *code));
    }
    co_return std::move(next);
  }

 private:
  Conversation& said_;
};

// Answers, and is asked, in its own way: nothing of it goes to the listener.
bool is_ping(RequestMessage const& request) {
  return request.method == "ping";
}

// What a client declares that can answer it; empty where it is no question.
std::string_view ability_for(RequestMessage const& request) {
  if (request.method == "elicitation/create") return "elicitation";
  if (request.method == "sampling/createMessage") return "sampling";
  return request.method == "roots/list" ? "roots" : "";
}

}  // namespace

// Whom a server that asks is talking to, and how long it has been patient with us. Shared with a
// question that came on another stream than the request's own.
struct Client::Asker {
  Asker(Patience given, std::shared_ptr<Listener> to)
      : patience{given}, latest{Deadline::in(given.longest)}, listener{std::move(to)} {}

  Patience patience;
  Deadline latest;
  std::shared_ptr<Listener> listener;
  Clock::time_point heard{Clock::now()};
  int questions{0};  // that we have yet to answer: its silence is ours, then

  Clock::time_point ends() const { return std::min(heard + patience.silence, latest.at); }

  Error lost_patience() const {
    return fail(Errc::DeadlineExceeded,
                fmt::format("The MCP server did not answer within {}.",
                            Clock::now() >= latest.at ? patience.longest : patience.silence));
  }
};

// A request that waits for its answer. Where it ends without one, the server is told.
class Client::InFlight {
 public:
  InFlight(Client& client, Agreement const& agreement, Ask const& ask,
           std::shared_ptr<Listener> listener)
      : asker{std::make_shared<Asker>(ask.patience, std::move(listener))},
        client_{client},
        agreement_{agreement},
        ask_{ask},
        place_{client.in_flight_.insert(client.in_flight_.end(), this)} {}
  InFlight(InFlight const&) = delete;
  InFlight& operator=(InFlight const&) = delete;
  ~InFlight() {
    client_.in_flight_.erase(place_);
    if (!taken_ || answered_) return;
    // Over HTTP the new era is told by the end of the connection.
    if (is_modern(agreement_.revision) && client_.wire_.is_http()) return;
    client_.note_cancelled(*this);
    client_.say_later(
        write_notification("notifications/cancelled", {{"requestId", id_}}, agreement_));
  }

  std::int64_t id() const noexcept { return id_; }
  void taken() noexcept { taken_ = true; }
  void answered() noexcept { answered_ = true; }

  bool can_be_asked() const noexcept { return asker->listener->can_be_asked(); }
  bool has(std::string_view ability) const { return ask_.capabilities.contains(ability); }
  std::string principal() const {
    return ask_.about == nullptr ? std::string{} : ask_.about->principal.key();
  }

  std::shared_ptr<Asker> const asker;

 private:
  Client& client_;
  Agreement const& agreement_;
  Ask const& ask_;
  std::list<InFlight*>::iterator place_;
  std::int64_t id_{++client_.last_id_};
  bool taken_{false};
  bool answered_{false};
};

Client::Client(Wire& wire, Observer& observer, ClientOptions options, Executor executor)
    : wire_{wire},
      observer_{observer},
      options_{std::move(options)},
      connected_{executor},
      group_{executor, note_failure} {}

Task<Outcome> Client::request(Ask ask, std::shared_ptr<Listener> listener) {
  for (std::size_t round = 0; round < options_.rounds; ++round) {
    SP_CO_TRY(auto outcome, co_await ask_with_session(ask, listener));
    if (outcome.error || !wants_input(outcome.result)) co_return outcome;
    SP_CO_TRY(auto inquiry, read_inquiry(outcome.result));
    Answers answers;
    if (!inquiry.questions.empty()) {
      SP_CO_TRY(answers, co_await listener->answer(std::move(inquiry)));
    }
    put_answers(ask.params, std::move(answers), outcome.result);
  }
  co_return fail(Errc::UpstreamFailed,
                 fmt::format("The MCP server asked {} times without an end.", options_.rounds));
}

Task<Outcome> Client::ask_with_session(Ask const& ask, std::shared_ptr<Listener> const& listener) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    SP_CO_TRY(auto outcome, co_await ask_once(ask, listener, attempt == 0));
    if (outcome) co_return std::move(*outcome);
  }
  co_return fail(Errc::UpstreamFailed,
                 "The MCP server does not keep to what it has just agreed on.");
}

// Nothing where the server does not know what was agreed on. `doubts`: a refusal may mean that.
Task<std::optional<Outcome>> Client::ask_once(Ask const& ask,
                                              std::shared_ptr<Listener> const& listener,
                                              bool doubts) {
  auto agreed = agreement_;
  if (agreed == nullptr) {
    SP_CO_TRY(agreed, co_await connect());
  }
  InFlight flight{*this, *agreed, ask, listener};
  auto post = write_ask(ask, flight.id(), *agreed, options_.info);
  post.deadline = {flight.asker->ends()};
  auto const conversation = co_await wire_.post(std::move(post));
  if (!conversation) {
    if (conversation.error().code != Errc::DeadlineExceeded) co_return conversation.error();
    flight.taken();  // perhaps
    co_return flight.asker->lost_patience();
  }
  auto const status = (*conversation)->reception().status;
  if (status == 404 && !agreed->session.empty()) {
    forget(agreed);
    co_return std::optional<Outcome>{};
  }
  flight.taken();
  auto outcome = co_await converse(**conversation, flight);
  bool const denied = doubts && status == 400 && denies(outcome, *agreed);
  bool const replaced =
      outcome && outcome->error && outcome->error->code == code::kUnsupportedVersion;
  if (denied || replaced) {
    forget(agreed);
    co_return std::optional<Outcome>{};
  }
  if (!outcome) co_return outcome.error();
  co_return std::optional{std::move(*outcome)};
}

// Fails with DeadlineExceeded, in words for whoever asked, where the server says nothing for too
// long.
Task<std::optional<Message>> Client::next_of(Conversation& conversation, InFlight& flight) {
  if (auto ready = conversation.ready()) {
    flight.asker->heard = Clock::now();
    co_return std::move(ready);
  }
  auto const patience_ends = [asker = flight.asker] {
    return asker->questions > 0 ? Clock::now() + kLookAgain : asker->ends();
  };
  auto next = co_await with_moving_deadline(patience_ends, conversation.next());
  flight.asker->heard = Clock::now();
  if (!next && next.error().code == Errc::DeadlineExceeded) co_return flight.asker->lost_patience();
  co_return std::move(next);
}

Task<Outcome> Client::converse(Conversation& conversation, InFlight& flight) {
  for (;;) {
    SP_CO_TRY(auto next, co_await next_of(conversation, flight));
    if (!next) {
      flight.answered();  // it will not be
      co_return refused_with(conversation.reception().status);
    }
    if (auto* const response = std::get_if<ResponseMessage>(&*next)) {
      if (response->id != json::Value(flight.id()) && !response->id.is_null()) continue;
      flight.answered();
      if (response->error) co_return Outcome{.error = rpc_error_of(*response->error)};
      co_return Outcome{.result = std::move(response->result)};
    }
    if (auto* const request = std::get_if<RequestMessage>(&*next)) {
      SP_CO_CHECK(co_await serve(std::move(*request), flight.asker));
    } else if (auto const* const notice = std::get_if<NotificationMessage>(&*next)) {
      tell(*notice, *flight.asker->listener);
    }
  }
}

Task<void> Client::serve(RequestMessage request, Result<std::shared_ptr<Asker>> addressed) {
  auto const agreed = agreement_;
  if (agreed == nullptr) co_return fail(Errc::Cancelled, "The session has ended.");
  if (is_ping(request)) co_return co_await say(write_reply(request.id, {}, *agreed));
  if (ability_for(request).empty()) {
    RpcError const unknown{code::kMethodNotFound, "There is no " + request.method + " here."};
    co_return co_await say(write_refusal(request.id, unknown, *agreed));
  }
  if (!addressed) {
    RpcError const nobody{code::kMethodNotFound, addressed.error().message};
    co_return co_await say(write_refusal(request.id, nobody, *agreed));
  }
  auto const asker = *addressed;
  Inquiry inquiry{.server_waits = true};
  inquiry.questions.emplace(kOnlyQuestion, Question{request.method, std::move(request.params)});
  auto const begin = Clock::now();
  ++asker->questions;
  auto answers = co_await capture(asker->listener->answer(std::move(inquiry)));
  --asker->questions;
  // Time in which the server waits for us is not its own.
  asker->heard = Clock::now();
  asker->latest.at += asker->heard - begin;
  if (answers) {
    co_return co_await say(
        write_reply(request.id, (*answers)[std::string{kOnlyQuestion}], *agreed));
  }
  RpcError const refusal{code::kMethodNotFound, answers.error().message};
  // Whatever it failed with: a server that waits for an answer should not wait for ever.
  say_later(write_refusal(request.id, refusal, *agreed));
  if (answers.error().code == Errc::ClientCapabilityMissing) co_return Result<void>{};
  co_return answers.error();
}

Task<void> Client::notify(std::string method, json::Object params) {
  SP_CO_TRY(auto const agreed, co_await connect());
  co_return co_await say(write_notification(method, std::move(params), *agreed));
}

Task<void> Client::say(Post post) {
  post.deadline = Deadline::in(options_.notifications);
  SP_CO_TRY(auto const taken, co_await wire_.post(std::move(post)));
  auto const status = taken->reception().status;
  if (status >= 400) co_return refused_with(status);
  co_return Result<void>{};
}

void Client::say_later(Post post) {
  group_.spawn("a notice", say(std::move(post)));
}

Task<void> Client::listen(json::Object wanted) {
  SP_CO_TRY(auto const agreed, co_await connect());
  if (!is_modern(agreed->revision)) {
    SP_CO_TRY(auto const stray, co_await wire_.listen(session_headers(*agreed)));
    co_return co_await hear(*stray);
  }
  Ask const ask{.method = "subscriptions/listen",
                .params = {{"notifications", std::move(wanted)}},
                .capabilities = options_.capabilities,
                .wants_progress = false};
  SP_CO_TRY(auto const stream,
            co_await wire_.post(write_ask(ask, ++last_id_, *agreed, options_.info)));
  auto const status = stream->reception().status;
  if (status == 404 || status == 405) co_return says_nothing();
  Subscription said{*stream};
  if (status < 400) co_return co_await hear(said);
  SP_CO_CHECK(co_await said.next());
  co_return refused_with(status);
}

Task<void> Client::hear(Conversation& conversation) {
  observer_.listening();
  for (;;) {
    SP_CO_TRY(auto next, co_await conversation.next());
    if (!next) co_return Result<void>{};
    if (auto const* const notice = std::get_if<NotificationMessage>(&*next)) {
      observer_.heard(*notice);
    } else if (auto* const request = std::get_if<RequestMessage>(&*next)) {
      auto asker = addressee(*request);
      // Beside what else is heard: somebody may think about the answer for minutes.
      group_.spawn("a question", serve(std::move(*request), std::move(asker)));
    }
  }
}

// A program does not say about which request it asks. Among those of one principal the latest is
// the best guess.
// SECURITY: there is no guess between principals. One would see what another is asked, and answer.
Result<std::shared_ptr<Client::Asker>> Client::addressee(RequestMessage const& question) const {
  InFlight const* latest = nullptr;
  std::set<std::string> principals;
  for (auto const* const flight : in_flight_) {
    if (!flight->can_be_asked()) continue;
    principals.insert(flight->principal());
    auto const ability = ability_for(question);
    if (latest == nullptr || flight->has(ability) || !latest->has(ability)) latest = flight;
  }
  if (latest == nullptr) return fail(Errc::ClientCapabilityMissing, "Nobody is there to be asked.");
  for (auto const& [principal, until] : cancelled_) {
    if (until > Clock::now()) principals.insert(principal);
  }
  if (principals.size() == 1) return latest->asker;
  return fail(Errc::ClientCapabilityMissing,
              "Requests of several users are under way, and nothing says whose question this is.");
}

// The server may have asked before it heard of it, or go on as if it had not.
void Client::note_cancelled(InFlight const& flight) {
  auto const now = Clock::now();
  std::erase_if(cancelled_, [now](auto const& each) { return each.second <= now; });
  if (!flight.can_be_asked()) return;
  auto& until = cancelled_[flight.principal()];
  until = std::max(until, now + flight.asker->patience.silence);
}

Task<void> Client::close() {
  group_.stop(asio::cancellation_type::terminal);
  co_await group_.join();
  auto const agreed = std::exchange(agreement_, nullptr);
  if (agreed == nullptr || agreed->session.empty()) co_return Result<void>{};
  co_return co_await with_deadline(Deadline::in(kGoodbye),
                                   wire_.end_session(session_headers(*agreed)));
}

void Client::forget(std::shared_ptr<Agreement const> const& forgotten) {
  // Another request may have noticed before.
  if (agreement_ == forgotten) agreement_ = nullptr;
}

}  // namespace sallyport::mcp::client
