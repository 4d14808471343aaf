#include "src/upstream/gateway/upstream_server.hpp"

#include "src/base/deadline.hpp"
#include "src/base/log.hpp"
#include "src/json/write.hpp"
#include "src/upstream/catalog/definitions.hpp"
#include "src/upstream/catalog/filter.hpp"
#include "src/upstream/catalog/uris.hpp"
#include "src/upstream/gateway/refresh_interval.hpp"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <functional>
#include <unordered_set>
#include <utility>

namespace sallyport::upstream {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kRetryFirst{1'000};
constexpr milliseconds kRetryLongest{60'000};
constexpr milliseconds kSettle{50};  // several lists often change together
// Some servers want a token for some calls alone: one that they refuse does not make us ask for
// their lists each time.
constexpr milliseconds kDoubtInterval{5'000};
constexpr milliseconds kLookAtProgram{1'000};

void note_watch_failure(std::string_view chore, Error const& error) {
  log::error("an MCP server is not watched any more",
             {{"chore", chore}, {"error", error.message}, {"detail", error.detail}});
}

json::Array public_definitions(std::vector<json::Object> entries, std::string_view part,
                               void (*publish)(std::string_view, json::Object&)) {
  json::Array array;
  array.reserve(entries.size());
  for (auto& entry : entries) {
    publish(part, entry);
    array.emplace_back(std::move(entry));
  }
  return array;
}

void log_dropped(std::string const& server, std::vector<Dropped> const& dropped) {
  for (auto const& each : dropped) {
    log::warn("a definition of an MCP server was left out",
              {{"server", server}, {"name", each.name}, {"reason", each.reason}});
  }
}

void mix(std::size_t& fingerprint, std::string const& text) {
  fingerprint = fingerprint * 1099511628211ULL + std::hash<std::string>{}(text);
}

void mix(std::size_t& fingerprint, std::vector<json::Object> const& entries) {
  for (auto const& entry : entries) mix(fingerprint, json::to_text(entry));
  mix(fingerprint, std::to_string(entries.size()));  // where one list ends and the next begins
}

std::string name_of(json::Object const& definition) {
  auto const* const name = json::find_string(definition, "name");
  return name == nullptr ? std::string{} : std::string{json::view(*name)};
}

// A server that asks the user has not failed, nor has one that a caller leaves.
bool is_failure(Result<mcp::client::Outcome> const& outcome) {
  if (outcome) return outcome->error.has_value();
  auto const code = outcome.error().code;
  return code != Errc::InputRequired && code != Errc::Cancelled;
}

}  // namespace

std::string_view to_string(ServerState state) noexcept {
  switch (state) {
    case ServerState::Connecting: return "connecting";
    case ServerState::Ready: return "ready";
    case ServerState::Failed: return "failed";
    case ServerState::NeedsSignIn: return "needs sign-in";
  }
  return "";
}

UpstreamServer::UpstreamServer(Parts parts)
    : parts_{std::move(parts)},
      counters_{
          parts_.metrics.counter("sallyport_upstream_calls_total", "Requests to MCP servers.",
                                 metric_label("server", name())),
          parts_.metrics.counter("sallyport_upstream_failures_total",
                                 "Requests to MCP servers that failed.",
                                 metric_label("server", name())),
          parts_.metrics.histogram("sallyport_upstream_seconds",
                                   "Time from a request to an MCP server to its answer.",
                                   metric_label("server", name())),
          parts_.metrics.gauge("sallyport_upstream_up", "Whether an MCP server answers.",
                               metric_label("server", name())),
          parts_.metrics.gauge("sallyport_upstream_tools", "Tools that an MCP server offers.",
                               metric_label("server", name())),
      },
      relay_{parts_.parked,
             [this](Errand::Job job, std::shared_ptr<Inbox> inbox) {
               return run(std::move(job), std::move(inbox));
             }},
      home_{parts_.loops.executor(parts_.home)},
      news_{home_},
      interests_{std::make_shared<Interests>(Interests::Limits{}, [this] { wish(); })},
      wishes_{home_},
      status_{.name = name()},
      group_{home_, note_watch_failure} {
  SessionPool::Parts const ways{parts_.settings, parts_.road, parts_.authorizer, *this};
  for (std::size_t loop = 0; loop < parts_.loops.size(); ++loop) {
    bool const at_home = loop == parts_.home;
    bool const used = at_home || parts_.settings.http.has_value();
    pools_.push_back(used ? std::make_unique<SessionPool>(ways, SessionPool::Limits{}, at_home,
                                                          parts_.loops.executor(loop))
                          : nullptr);
  }
}

UpstreamServer::~UpstreamServer() = default;

std::shared_ptr<Offer const> UpstreamServer::offer() const {
  std::lock_guard const lock{mutex_};
  return offer_;
}

ServerStatus UpstreamServer::status() const {
  std::lock_guard const lock{mutex_};
  return status_;
}

void UpstreamServer::note_call(Clock::time_point begun,
                               Result<mcp::client::Outcome> const& outcome) {
  counters_.calls.add();
  if (is_failure(outcome)) counters_.failures.add();
  counters_.seconds.observe(std::chrono::duration<double>(Clock::now() - begun).count());
  bool const not_let_in = !outcome && outcome.error().code == Errc::CredentialUnavailable;
  bool const out = needs_sign_in_.load(std::memory_order_relaxed);
  if (out ? outcome.has_value() : not_let_in) doubt();
}

void UpstreamServer::doubt() {
  asio::dispatch(home_, [this] {
    if (std::exchange(in_doubt_, true)) return;
    news_.raise();
  });
}

// A program is one, wherever its callers are, and so is a session with an older server: a client
// has connections to several loops. One of the new era has nothing to come back to.
std::size_t UpstreamServer::loop_for(std::size_t caller, RequestContext const& about) const {
  if (parts_.settings.program) return parts_.home;
  if (is_stateless_.load(std::memory_order_relaxed)) return caller;
  auto const key = session_key(about);
  return key.empty() ? parts_.home : std::hash<std::string>{}(key) % pools_.size();
}

std::shared_ptr<Errand> UpstreamServer::run(Errand::Job job, std::shared_ptr<Inbox> inbox) {
  auto const loop = loop_for(parts_.loops.index_of(inbox->executor()), job.about);
  auto const executor = parts_.loops.executor(loop);
  auto errand = std::make_shared<Errand>(std::move(job), *this, executor);
  asio::dispatch(executor, [this, loop, errand, inbox = std::move(inbox)] {
    errand->attach(inbox);
    pools_[loop]->run(errand);
  });
  return errand;
}

void UpstreamServer::start() {
  asio::dispatch(home_, [this] {
    group_.spawn("what a server offers", watch());
    group_.spawn("what a server is to tell about", keep_subscriptions());
  });
}

void UpstreamServer::look_again() {
  asio::dispatch(home_, [this] {
    has_news_ = true;
    news_.raise();
  });
}

void UpstreamServer::heard(mcp::NotificationMessage const& message) {
  if (message.method.ends_with("/list_changed")) {
    look_again();
  } else if (message.method == "notifications/resources/updated") {
    auto const* const uri = json::find_string(message.params, "uri");
    if (uri == nullptr) return;
    parts_.on_updated(to_public(part(), json::view(*uri)));
  }
}

// A stream that ends is often the first sign of a restart.
void UpstreamServer::lost() {
  if (status().state == ServerState::Ready) look_again();
}

Task<void> UpstreamServer::watch() {
  auto retry = kRetryFirst;
  while (!stopping_) {
    has_news_ = false;
    in_doubt_ = false;
    auto offered = co_await capture(ask_for_offer());
    if (stopping_) break;
    auto const wait = offered ? refresh_interval(offered->fresh_for) : retry;
    retry = offered ? kRetryFirst : std::min(retry * 2, kRetryLongest);
    publish(std::move(offered));
    co_await wait_for_news(wait);
  }
  co_return Result<void>{};
}

// Also when its program ends, which it does not say.
Async<void> UpstreamServer::wait_for_news(milliseconds longest) {
  bool const is_program = parts_.settings.program.has_value();
  bool const worked = status().state == ServerState::Ready;
  auto const begin = Clock::now();
  auto until = begin + longest;
  while (!has_news_ && !stopping_ && Clock::now() < until) {
    if (in_doubt_) until = std::min(until, begin + kDoubtInterval);
    auto const slice = is_program && worked ? Clock::now() + kLookAtProgram : until;
    (void)co_await with_deadline({std::min(until, slice)}, news_.wait());
    if (is_program && worked && pool_at_home().main().is_broken()) co_return;
  }
  if (stopping_ || !has_news_) co_return;
  Timer settling{home_, kSettle};
  co_await settling.async_wait(use_tuple);
}

Task<Offer> UpstreamServer::ask_for_offer() {
  SP_CO_TRY(auto const agreed, co_await pool_at_home().main().connect());
  is_stateless_.store(mcp::is_modern(agreed->revision), std::memory_order_relaxed);
  for (std::size_t loop = 0; loop < pools_.size(); ++loop) {
    if (!pools_[loop]) continue;
    asio::dispatch(parts_.loops.executor(loop),
                   [this, loop, agreed] { pools_[loop]->learn(agreed->revision); });
  }
  Offer offer{.revision = agreed->revision};
  mix(offer.fingerprint, std::string{mcp::to_string(agreed->revision)});
  mix(offer.fingerprint, json::to_text(agreed->capabilities));
  auto const& can = agreed->capabilities;
  offer.completes = can.contains("completions");
  if (agreed->assumed) {
    SP_CO_CHECK(co_await take_what_there_is(offer));
    co_return offer;
  }
  if (can.contains("tools")) SP_CO_CHECK(co_await take_tools(offer));
  if (can.contains("resources")) SP_CO_CHECK(co_await take_resources(offer));
  if (can.contains("prompts")) SP_CO_CHECK(co_await take_prompts(offer));
  co_return offer;
}

// Of a server that does not say which lists it has.
Task<void> UpstreamServer::take_what_there_is(Offer& offer) {
  Result<void> outcome = fail(Errc::UpstreamFailed, "The MCP server has no lists.");
  for (auto const take : {&UpstreamServer::take_tools, &UpstreamServer::take_resources,
                          &UpstreamServer::take_prompts}) {
    auto const taken = co_await (this->*take)(offer);
    if (taken) outcome = {};
    if (!taken && taken.error().code != Errc::NotFound) co_return taken.error();
  }
  co_return outcome;
}

void UpstreamServer::note_listed(Offer& offer, milliseconds fresh_for) const {
  if (fresh_for.count() == 0) return;
  offer.fresh_for = offer.fresh_for.count() == 0 ? fresh_for : std::min(offer.fresh_for, fresh_for);
}

Task<void> UpstreamServer::take_tools(Offer& offer) {
  SP_CO_TRY(auto listing, co_await pool_at_home().main().list("tools/list", "tools"));
  note_listed(offer, listing.fresh_for);
  auto& entries = listing.entries;
  std::erase_if(entries, [this](json::Object const& each) {
    return !offers(parts_.settings.tools, name_of(each));
  });
  // What is held back is known by its name, which must not be another's.
  log_dropped(name(), drop_repeated(entries));
  json::Array definitions;
  for (auto const& entry : entries) definitions.emplace_back(entry);
  SP_CO_TRY(offer.withheld, co_await parts_.withhold(std::move(definitions)));
  for (auto const& held : offer.withheld) mix(offer.fingerprint, held);
  std::unordered_set<std::string> const held{offer.withheld.begin(), offer.withheld.end()};
  std::erase_if(entries, [&](json::Object const& each) { return held.contains(name_of(each)); });
  // It owns what it uses: who waits for it may be gone.
  auto work = [server = part(), fingerprint = offer.fingerprint,
               entries = std::move(entries)]() mutable {
    mix(fingerprint, entries);
    auto taken = upstream::take_tools(public_definitions(std::move(entries), server, publish_tool));
    return std::pair{fingerprint, std::move(taken)};
  };
  SP_CO_TRY(auto done, co_await parts_.workers.run(std::move(work)));
  auto& [fingerprint, taken] = done;
  offer.fingerprint = fingerprint;
  log_dropped(name(), taken.dropped);
  offer.tools = std::move(taken.entries);
  co_return Result<void>{};
}

Task<void> UpstreamServer::take_resources(Offer& offer) {
  auto& main = pool_at_home().main();
  auto listing = co_await main.list("resources/list", "resources");
  if (listing) {
    note_listed(offer, listing->fresh_for);
    mix(offer.fingerprint, listing->entries);
    auto taken = upstream::take_resources(
        public_definitions(std::move(listing->entries), part(), publish_resource));
    log_dropped(name(), taken.dropped);
    offer.resources = std::move(taken.entries);
  }
  // A server may have the one list and not the other.
  auto templates = co_await main.list("resources/templates/list", "resourceTemplates");
  if (templates) {
    note_listed(offer, templates->fresh_for);
    mix(offer.fingerprint, templates->entries);
    auto taken = upstream::take_templates(
        public_definitions(std::move(templates->entries), part(), publish_template));
    log_dropped(name(), taken.dropped);
    offer.templates = std::move(taken.entries);
  }
  if (!listing && !templates) co_return listing.error();
  offer.has_resources = true;
  co_return Result<void>{};
}

Task<void> UpstreamServer::take_prompts(Offer& offer) {
  SP_CO_TRY(auto listing, co_await pool_at_home().main().list("prompts/list", "prompts"));
  note_listed(offer, listing.fresh_for);
  mix(offer.fingerprint, listing.entries);
  json::Array definitions;
  for (auto& entry : listing.entries) definitions.emplace_back(std::move(entry));
  auto taken = upstream::take_prompts(definitions);
  log_dropped(name(), taken.dropped);
  offer.prompts = std::move(taken.entries);
  co_return Result<void>{};
}

// A failure keeps what was known. What is as before is told to nobody.
void UpstreamServer::publish(Result<Offer> offered) {
  ServerStatus status{.name = name()};
  auto offer = this->offer();
  bool const same = offered && offer && offer->fingerprint == offered->fingerprint;
  if (offered && !same) offer = std::make_shared<Offer const>(std::move(*offered));
  if (offer) {
    status.tools = offer->tools.size();
    status.withheld = offer->withheld.size();
  }
  if (offered) {
    status.state = ServerState::Ready;
  } else {
    bool const person = offered.error().code == Errc::CredentialUnavailable;
    status.state = person ? ServerState::NeedsSignIn : ServerState::Failed;
    status.error = offered.error().message;
  }
  bool const unchanged = this->status() == status && (same || !offered);
  {
    std::lock_guard const lock{mutex_};
    offer_ = offer;
    status_ = status;
  }
  needs_sign_in_.store(status.state == ServerState::NeedsSignIn, std::memory_order_relaxed);
  counters_.up.set(status.state == ServerState::Ready ? 1 : 0);
  counters_.tools.set(static_cast<std::int64_t>(status.tools));
  if (unchanged) return;
  if (offered) {
    log::info("an MCP server is ready", {{"server", name()},
                                         {"revision", mcp::to_string(offer->revision)},
                                         {"tools", std::int64_t(status.tools)},
                                         {"withheld", std::int64_t(status.withheld)}});
  } else {
    log::warn("an MCP server does not answer", {{"server", name()},
                                                {"error", offered.error().message},
                                                {"detail", offered.error().detail}});
  }
  parts_.on_change();
}

Result<mcp::Interest> UpstreamServer::subscribe(std::string const& uri,
                                                std::string const& principal) {
  return interests_->add(uri, principal);
}

// Posted: whoever calls may hold locks.
void UpstreamServer::wish() {
  asio::post(home_, [this] {
    has_wishes_ = true;
    wishes_.raise();
  });
}

Task<void> UpstreamServer::keep_subscriptions() {
  while (!stopping_) {
    while (!std::exchange(has_wishes_, false)) SP_CO_CHECK(co_await wishes_.wait());
    auto const told = co_await capture(pool_at_home().main().subscribe_to(interests_->uris()));
    if (told || told.error().code == Errc::Cancelled) continue;
    log::warn("an MCP server does not tell about a resource",
              {{"server", name()}, {"error", told.error().message}});
  }
  co_return Result<void>{};
}

void UpstreamServer::sweep() {
  for (std::size_t loop = 0; loop < pools_.size(); ++loop) {
    if (!pools_[loop]) continue;
    asio::dispatch(parts_.loops.executor(loop),
                   [this, loop] { pools_[loop]->sweep(Clock::now()); });
  }
}

Task<void> UpstreamServer::close_pool(std::size_t loop) {
  if (loop == parts_.home) {
    stopping_ = true;
    interests_->close();
    group_.stop(asio::cancellation_type::terminal);
    co_await group_.join();
  }
  co_await pools_[loop]->close();
  co_return Result<void>{};
}

Task<void> UpstreamServer::stop() {
  for (std::size_t loop = 0; loop < pools_.size(); ++loop) {
    if (pools_[loop]) SP_CO_CHECK(co_await run_on(parts_.loops.executor(loop), close_pool(loop)));
  }
  co_return Result<void>{};
}

}  // namespace sallyport::upstream
