#include "src/upstream/session/session_pool.hpp"

#include "src/base/log.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sallyport::upstream {
namespace {

constexpr std::chrono::minutes kIdle{5};

void note_pool_failure(std::string_view chore, Error const& error) {
  log::debug("a session with an MCP server did not end well",
             {{"chore", chore}, {"error", error.message}, {"detail", error.detail}});
}

}  // namespace

// SECURITY: our own ids have no line end, so that no two pairs of session and principal are one.
std::string session_key(RequestContext const& about) {
  auto const principal = about.principal.key();
  if (about.session.empty() && principal.empty()) return {};
  return about.session + "\n" + principal;
}

SessionPool::SessionPool(Parts parts, Limits limits, bool watches, Executor executor)
    : parts_{parts},
      limits_{limits},
      executor_{executor},
      main_{connect(watches)},
      group_{executor, note_pool_failure} {}

std::shared_ptr<Connection> SessionPool::connect(bool watches) {
  ConnectionOptions const options{.watches = watches, .known_revision = revision_};
  return std::make_shared<Connection>(parts_.settings, parts_.road, parts_.authorizer,
                                      parts_.observer, options, executor_);
}

std::shared_ptr<Connection> SessionPool::connection_for(RequestContext const& about) {
  // A program is one; a server of the new era keeps nothing.
  bool const keeps_sessions = parts_.settings.http && !(revision_ && mcp::is_modern(*revision_));
  auto const key = session_key(about);
  if (key.empty() || !keeps_sessions) return main_;
  auto const found = sessions_.find(key);
  if (found != sessions_.end()) return found->second.connection;
  auto const principal = about.principal.key();
  if (is_full_for(principal) && !make_room_for(principal)) return nullptr;
  return sessions_.emplace(key, Session{principal, connect(false)}).first->second.connection;
}

bool SessionPool::is_full_for(std::string const& principal) const {
  if (sessions_.size() >= limits_.sessions) return true;
  if (principal.empty()) return false;
  auto const is_theirs = [&](auto const& each) { return each.second.principal == principal; };
  auto const theirs = std::ranges::count_if(sessions_, is_theirs);
  return static_cast<std::size_t>(theirs) >= limits_.of_principal;
}

// SECURITY: a principal's sessions cost nobody else's.
bool SessionPool::make_room_for(std::string const& principal) {
  auto longest = sessions_.end();
  for (auto at = sessions_.begin(); at != sessions_.end(); ++at) {
    auto const& [owner, connection] = at->second;
    // Whoever has a request there holds it, too.
    if (owner != principal || connection.use_count() > 1) continue;
    bool const longer = longest == sessions_.end() ||
                        connection->last_used() < longest->second.connection->last_used();
    if (longer) longest = at;
  }
  if (longest == sessions_.end()) return false;
  drop(longest);
  return true;
}

SessionPool::Sessions::iterator SessionPool::drop(Sessions::iterator session) {
  group_.spawn("the end of a session", end(session->second.connection));
  return sessions_.erase(session);
}

void SessionPool::run(std::shared_ptr<Errand> const& errand) {
  errand->run_in(group_, request(connection_for(errand->job().about), errand));
}

Task<mcp::client::Outcome> SessionPool::request(std::shared_ptr<Connection> connection,
                                                std::shared_ptr<Errand> errand) {
  if (connection == nullptr) {
    co_return fail(Errc::LimitExceeded, "There are too many sessions with " + parts_.settings.name +
                                            ". Try again in some minutes.");
  }
  auto ask = std::move(errand->job().ask);  // it is asked once
  co_return co_await connection->request(std::move(ask), std::move(errand));
}

void SessionPool::sweep(Clock::time_point now) {
  for (auto at = sessions_.begin(); at != sessions_.end();) {
    auto const& connection = at->second.connection;
    bool const used = connection->in_use() > 0 || now - connection->last_used() < kIdle;
    at = used ? std::next(at) : drop(at);
  }
}

Task<void> SessionPool::end(std::shared_ptr<Connection> connection) {
  co_await connection->close();
  co_return Result<void>{};
}

Async<void> SessionPool::close() {
  group_.stop(asio::cancellation_type::terminal);
  co_await group_.join();
  for (auto const& [key, session] : sessions_) co_await session.connection->close();
  co_await main_->close();
}

}  // namespace sallyport::upstream
