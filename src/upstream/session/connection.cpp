#include "src/upstream/session/connection.hpp"

#include "src/base/log.hpp"
#include "src/upstream/wire/child_wire.hpp"
#include "src/upstream/wire/http_wire.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::upstream {
namespace {

using mcp::client::Agreement;
using mcp::client::Ask;
using mcp::client::Client;
using mcp::client::ClientOptions;
using mcp::client::Listener;
using mcp::client::NobodyToAsk;
using mcp::client::Outcome;

constexpr std::chrono::milliseconds kListenAgain{1'000};
constexpr std::chrono::milliseconds kListenAgainLatest{30'000};
constexpr std::chrono::milliseconds kUntilUnused{20};

Ask plain_ask(std::string method, json::Object params) {
  return {.method = std::move(method), .params = std::move(params), .wants_progress = false};
}

HttpServer http_server(ServerSettings const& settings) {
  auto const& address = *settings.http;
  HttpServer server{.name = settings.name, .url = address.url};
  for (auto const& [name, value] : address.headers) server.headers.set(name, value.reveal());
  if (address.private_network) server.open.push_back(egress::Opening::to(address.url));
  return server;
}

ChildCommand child_command(Program const& program) {
  ChildCommand command{
      .command = program.command, .args = program.args, .env = {}, .cwd = program.cwd};
  for (auto const& [name, value] : program.env) command.env[name] = value.reveal();
  return command;
}

// The server says that it does not speak by itself.
bool is_unheard_of(Result<void> const& heard) {
  return !heard && heard.error().code == Errc::NotFound;
}

ClientOptions client_options(ServerSettings const& settings, ConnectionOptions const& options) {
  return {.capabilities = relayed_capabilities(),
          .connecting = settings.times.request,
          .notifications = settings.times.notification,
          .known_revision = options.known_revision};
}

void note_failure(std::string_view chore, Error const& error) {
  log::debug("an MCP server is not listened to",
             {{"chore", chore}, {"error", error.message}, {"detail", error.detail}});
}

}  // namespace

json::Object relayed_capabilities() {
  json::Object const none;
  json::Object const pages{{"mimeTypes", json::Array{"text/html;profile=mcp-app"}}};
  return {{"elicitation", json::Object{{"form", none}, {"url", none}}},
          {"sampling", json::Object{{"tools", none}}},
          {"roots", none},
          {"extensions", json::Object{{"io.modelcontextprotocol/ui", pages}}}};
}

// One way to the server, with its client.
class Connection::Line {
 public:
  Line(std::unique_ptr<HttpWire> http, std::unique_ptr<ChildWire> child,
       mcp::client::Observer& observer, ClientOptions options, Executor executor)
      : http_{std::move(http)},
        child_{std::move(child)},
        client_{wire(), observer, std::move(options), executor} {}

  Client& client() noexcept { return client_; }
  bool is_alive() const noexcept { return http_ ? http_->is_alive() : child_->is_alive(); }
  std::string last_words() const { return child_ == nullptr ? std::string{} : child_->errors(); }

  Async<void> close() {
    (void)co_await client_.close();
    if (http_) co_await http_->close();
    if (child_) co_await child_->close();
  }

  Clock::time_point const started{Clock::now()};
  std::optional<TaskGroup::Child> listening;
  std::optional<mcp::LogLevel> log_level;  // that an older server was told

 private:
  mcp::client::Wire& wire() {
    if (http_) return *http_;
    return *child_;
  }

  std::unique_ptr<HttpWire> http_;  // one of the two
  std::unique_ptr<ChildWire> child_;
  Client client_;
};

Connection::Connection(ServerSettings const& settings, pipeline::Road& road,
                       http::Authorizer* authorizer, mcp::client::Observer& observer,
                       ConnectionOptions options, Executor executor)
    : settings_{settings},
      road_{road},
      authorizer_{authorizer},
      observer_{observer},
      options_{options},
      executor_{executor},
      group_{executor, note_failure} {}

std::shared_ptr<Agreement const> Connection::agreement() const noexcept {
  return line_ ? line_->client().agreement() : nullptr;
}

bool Connection::is_broken() const noexcept {
  return line_ == nullptr || !line_->is_alive();
}

std::string Connection::last_words() const {
  return line_ ? line_->last_words() : last_words_;
}

Result<std::shared_ptr<Connection::Line>> Connection::open_line() {
  auto options = client_options(settings_, options_);
  if (settings_.http) {
    auto wire = std::make_unique<HttpWire>(http_server(settings_), road_, authorizer_);
    return std::make_shared<Line>(std::move(wire), nullptr, observer_, std::move(options),
                                  executor_);
  }
  auto wire = ChildWire::start(child_command(*settings_.program), {}, executor_);
  if (!wire) {
    restarts_.ended(Clock::now(), Clock::now());
    return wire.error();
  }
  return std::make_shared<Line>(nullptr, std::move(*wire), observer_, std::move(options),
                                executor_);
}

Result<std::shared_ptr<Connection::Line>> Connection::line() {
  last_used_ = Clock::now();
  if (closing_) return fail(Errc::Cancelled, "The connection is being closed.");
  drop_dead_line();
  if (line_) return line_;
  auto const wait = restarts_.left(Clock::now());
  if (settings_.program && wait.count() > 0) {
    return fail(
        Errc::UpstreamFailed,
        fmt::format("The program of the MCP server {} has ended; it is started again in "
                    "{}. `sallyport servers test {}` shows what it says.",
                    settings_.name, std::chrono::ceil<std::chrono::seconds>(wait), settings_.name));
  }
  SP_TRY(line_, open_line());
  return line_;
}

void Connection::drop_dead_line() {
  if (!line_ || line_->is_alive()) return;
  last_words_ = line_->last_words();
  restarts_.ended(line_->started, Clock::now());
  if (settings_.program) {
    log::warn("the program of an MCP server has ended",
              {{"server", settings_.name}, {"said", last_words_}});
  } else {
    log::info("the event stream of an MCP server has ended", {{"server", settings_.name}});
  }
  group_.spawn("the end of a connection", bury(std::exchange(line_, nullptr)));
}

// Those whose requests it was to answer learn by themselves that it has ended.
Task<void> Connection::bury(std::shared_ptr<Line> line) {
  Timer timer{executor_};
  while (line.use_count() > 1) {
    timer.expires_after(kUntilUnused);
    co_await timer.async_wait(use_tuple);
  }
  co_await line->close();
  co_return Result<void>{};
}

Task<std::shared_ptr<Agreement const>> Connection::connect() {
  SP_CO_TRY(auto const open, line());
  SP_CO_TRY(auto agreed, co_await open->client().connect());
  options_.known_revision = agreed->revision;
  listen_once_connected(open);
  co_return std::move(agreed);
}

Task<Outcome> Connection::request(Ask ask, std::shared_ptr<Listener> listener) {
  SP_CO_TRY(auto const open, line());
  if (open->client().agreement() == nullptr) SP_CO_CHECK(co_await connect());
  if (ask.log_level) SP_CO_CHECK(co_await want_logs(*open, *ask.log_level));
  ++in_use_;
  auto outcome = co_await capture(open->client().request(std::move(ask), std::move(listener)));
  --in_use_;
  last_used_ = Clock::now();
  co_return std::move(outcome);
}

// An older server is told once what it should log, for all who share the session.
Task<void> Connection::want_logs(Line& line, mcp::LogLevel level) {
  auto const agreed = line.client().agreement();
  bool const can = agreed && !mcp::is_modern(agreed->revision) &&
                   json::find_object(agreed->capabilities, "logging") != nullptr;
  if (!can || (line.log_level && *line.log_level <= level)) co_return Result<void>{};
  line.log_level = level;
  SP_CO_CHECK(co_await line.client().request(
      plain_ask("logging/setLevel", {{"level", mcp::to_string(level)}}),
      std::make_shared<NobodyToAsk>()));
  co_return Result<void>{};
}

Task<mcp::client::Listing> Connection::list(std::string method, std::string member) {
  SP_CO_TRY(auto const open, line());
  mcp::client::Patience const patience{settings_.times.request, settings_.times.longest};
  co_return co_await mcp::client::list_all(open->client(), std::move(method), std::move(member),
                                           {.patience = patience});
}

void Connection::listen_once_connected(std::shared_ptr<Line> const& line) {
  auto const agreed = line->client().agreement();
  bool const worth_it = agreed && (options_.watches || !mcp::is_modern(agreed->revision));
  if (!worth_it || line->listening) return;
  line->listening.emplace();  // the coroutine may end before spawn() returns
  auto const child = group_.spawn("what a server says by itself", listen(line));
  if (line->listening) line->listening = child;
}

Task<void> Connection::listen(std::shared_ptr<Line> line) {
  auto pause = kListenAgain;
  Timer timer{executor_};
  while (line->is_alive() && !closing_) {
    auto const begin = Clock::now();
    auto const agreed = line->client().agreement();
    co_await subscribe_again(*line);
    auto const heard = co_await line->client().listen(wanted_news());
    if (!heard && heard.error().code == Errc::Cancelled) break;
    if (!line->is_alive()) break;
    if (!is_unheard_of(heard)) observer_.lost();
    if (Clock::now() - begin > kListenAgainLatest) pause = kListenAgain;
    do {
      timer.expires_after(pause);
      auto const [interrupted] = co_await timer.async_wait(use_tuple);
      if (interrupted || closing_) break;
      // A server that does not do that may have been restarted as one that does.
    } while (is_unheard_of(heard) && line->client().agreement() == agreed && line->is_alive());
    if (listen_anew_ || closing_) break;
    pause = std::min(pause * 2, kListenAgainLatest);
  }
  line->listening.reset();
  bool const anew = std::exchange(listen_anew_, false);
  if (closing_) co_return Result<void>{};
  if (!line->is_alive()) {
    co_await lose(std::move(line));
  } else if (anew) {
    listen_once_connected(line);
  }
  co_return Result<void>{};
}

// The observer makes us connect again: later and later, where that does not last.
Async<void> Connection::lose(std::shared_ptr<Line> line) {
  if (line == line_) drop_dead_line();
  line.reset();  // it is buried meanwhile
  Timer timer{executor_, restarts_.left(Clock::now())};
  auto const [interrupted] = co_await timer.async_wait(use_tuple);
  if (!interrupted && !closing_) observer_.lost();
}

// An older server forgets with the session what it was to tell about.
Async<void> Connection::subscribe_again(Line& line) {
  auto const agreed = line.client().agreement();
  if (agreed == nullptr || mcp::is_modern(agreed->revision)) co_return;
  auto const uris = uris_;
  for (auto const& uri : uris) {
    if (!uris_.contains(uri)) continue;
    (void)co_await line.client().request(plain_ask("resources/subscribe", {{"uri", uri}}),
                                         std::make_shared<NobodyToAsk>());
  }
}

Task<void> Connection::subscribe_to(std::set<std::string> uris) {
  auto const before = std::exchange(uris_, std::move(uris));
  auto const now = uris_;
  if (now == before) co_return Result<void>{};
  SP_CO_TRY(auto const agreed, co_await connect());
  if (mcp::is_modern(agreed->revision)) {
    listen_to_others();
    co_return Result<void>{};
  }
  Result<void> told;
  for (auto const& [method, these, those] : {std::tuple{"resources/unsubscribe", &before, &now},
                                             {"resources/subscribe", &now, &before}}) {
    for (auto const& uri : *these) {
      if (those->contains(uri)) continue;
      auto const one =
          co_await request(plain_ask(method, {{"uri", uri}}), std::make_shared<NobodyToAsk>());
      if (!one) told = one.error();
    }
  }
  co_return told;
}

// What a server of the new era is to tell is said once, at the start of the stream.
void Connection::listen_to_others() {
  if (!line_ || !line_->listening) return;
  listen_anew_ = true;
  (*line_->listening)->emit(asio::cancellation_type::terminal);
}

json::Object Connection::wanted_news() const {
  json::Object wanted{
      {"toolsListChanged", true}, {"promptsListChanged", true}, {"resourcesListChanged", true}};
  if (uris_.empty()) return wanted;
  json::Array uris;
  for (auto const& uri : uris_) uris.emplace_back(uri);
  wanted["resourceSubscriptions"] = std::move(uris);
  return wanted;
}

Async<void> Connection::close() {
  closing_ = true;
  group_.stop(asio::cancellation_type::terminal);
  co_await group_.join();
  if (auto const last = std::exchange(line_, nullptr)) co_await last->close();
}

}  // namespace sallyport::upstream
