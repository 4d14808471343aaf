#include "src/upstream/session/session_pool.hpp"

#include "src/base/log.hpp"

#include <utility>

namespace sallyport::upstream {
namespace {

constexpr std::chrono::minutes kIdle{5};
constexpr std::size_t kMaxSessions = 1'000;

void note_pool_failure(std::string_view chore, Error const& error) {
  log::debug("a session with an MCP server did not end well",
             {{"chore", chore}, {"error", error.message}, {"detail", error.detail}});
}

}  // namespace

SessionPool::SessionPool(Parts parts, bool watches, Executor executor)
    : parts_{parts},
      executor_{executor},
      main_{connect(watches)},
      group_{executor, note_pool_failure} {}

std::shared_ptr<Connection> SessionPool::connect(bool watches) {
  ConnectionOptions const options{.watches = watches, .known_revision = revision_};
  return std::make_shared<Connection>(parts_.settings, parts_.road, parts_.authorizer,
                                      parts_.observer, options, executor_);
}

std::shared_ptr<Connection> SessionPool::connection_for(Principal const& principal) {
  // A program is one; a server of the new era keeps nothing; nobody is told apart from nobody.
  bool const keeps_sessions = parts_.settings.http && !(revision_ && mcp::is_modern(*revision_));
  auto const key = principal.key();
  if (key.empty() || !keeps_sessions) return main_;
  auto const found = by_principal_.find(key);
  if (found != by_principal_.end()) return found->second;
  if (by_principal_.size() >= kMaxSessions) return nullptr;
  return by_principal_.emplace(key, connect(false)).first->second;
}

void SessionPool::run(std::shared_ptr<Errand> const& errand) {
  errand->run_in(group_, request(connection_for(errand->job().about.principal), errand));
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
  for (auto at = by_principal_.begin(); at != by_principal_.end();) {
    auto const& connection = at->second;
    if (connection->in_use() > 0 || now - connection->last_used() < kIdle) {
      ++at;
      continue;
    }
    group_.spawn("the end of a session", end(connection));
    at = by_principal_.erase(at);
  }
}

Task<void> SessionPool::end(std::shared_ptr<Connection> connection) {
  co_await connection->close();
  co_return Result<void>{};
}

Async<void> SessionPool::close() {
  group_.stop(asio::cancellation_type::terminal);
  co_await group_.join();
  for (auto const& [key, connection] : by_principal_) co_await connection->close();
  co_await main_->close();
}

}  // namespace sallyport::upstream
