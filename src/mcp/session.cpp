#include "src/mcp/session.hpp"

#include "src/base/random_id.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::mcp {
namespace {

constexpr std::size_t kMaxSubscriptions = 1000;

}  // namespace

Session::Session(std::string id, Agreement agreement)
    : id_{std::move(id)},
      agreement_{std::move(agreement)},
      last_used_{Clock::now().time_since_epoch().count()} {}

void Session::touch() noexcept {
  last_used_.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
}

Clock::time_point Session::last_used() const noexcept {
  return Clock::time_point{Clock::duration{last_used_.load(std::memory_order_relaxed)}};
}

void Session::subscribe(std::string uri, Interest interest) {
  std::lock_guard const lock{subscriptions_mutex_};
  if (subscriptions_.size() < kMaxSubscriptions) {
    subscriptions_.emplace(std::move(uri), std::move(interest));
  }
}

void Session::unsubscribe(std::string const& uri) {
  std::lock_guard const lock{subscriptions_mutex_};
  subscriptions_.erase(uri);
}

bool Session::is_subscribed(std::string const& uri) const {
  std::lock_guard const lock{subscriptions_mutex_};
  return subscriptions_.contains(uri);
}

std::shared_ptr<Session> SessionDirectory::open(Session::Agreement agreement) {
  auto session = std::make_shared<Session>(random_id(), std::move(agreement));
  std::lock_guard const lock{mutex_};
  if (sessions_.size() >= limits_.sessions) remove_longest_idle();
  sessions_.emplace(session->id(), session);
  return session;
}

void SessionDirectory::remove_longest_idle() {
  auto const oldest = std::ranges::min_element(
      sessions_, {}, [](auto const& each) { return each.second->last_used(); });
  if (oldest == sessions_.end()) return;
  oldest->second->close();
  sessions_.erase(oldest);
}

std::shared_ptr<Session> SessionDirectory::find(std::string const& id) const {
  std::shared_lock const lock{mutex_};
  auto const found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second;
}

void SessionDirectory::close(Session& session) {
  session.close();
  std::lock_guard const lock{mutex_};
  sessions_.erase(session.id());
}

void SessionDirectory::close_idle(Clock::time_point now) {
  std::lock_guard const lock{mutex_};
  std::erase_if(sessions_, [&](auto const& each) {
    bool const idle = now - each.second->last_used() > limits_.idle_timeout;
    if (idle) each.second->close();
    return idle;
  });
}

std::size_t SessionDirectory::size() const {
  std::shared_lock const lock{mutex_};
  return sessions_.size();
}

std::shared_ptr<Session> const& SessionCache::find(std::string const& id) {
  auto known = known_.find(id);
  if (known == known_.end()) {
    auto session = directory_.find(id);
    if (!session) return none_;
    known = known_.emplace(id, std::move(session)).first;
  }
  if (known->second->is_closed()) {
    known_.erase(known);
    return none_;
  }
  return known->second;
}

void SessionCache::drop_closed() {
  std::erase_if(known_, [](auto const& each) { return each.second->is_closed(); });
}

}  // namespace sallyport::mcp
