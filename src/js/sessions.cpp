#include "src/js/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::js {

Result<std::unique_ptr<Child>> Sessions::take(std::string const& session,
                                              std::string const& owner) {
  std::lock_guard const lock{mutex_};
  if (auto const found = sessions_.find(session); found != sessions_.end()) {
    if (!found->second.child) {
      return fail(Errc::LimitExceeded,
                  "Another script runs in this session. Wait for its end, or use another session.");
    }
    return std::move(found->second.child);
  }
  if (!make_room(owner)) {
    return fail(Errc::LimitExceeded, "All sessions are in use. Try again in a moment.");
  }
  sessions_.emplace(session, Session{.owner = owner, .child = {}, .last_used = Clock::now()});
  return std::unique_ptr<Child>{};
}

// Called with the lock held.
bool Sessions::make_room(std::string const& owner) {
  auto const is_own = [&](auto const& entry) { return entry.second.owner == owner; };
  auto const own = static_cast<std::size_t>(std::ranges::count_if(sessions_, is_own));
  if (own < limits_.per_owner && sessions_.size() < limits_.all) return true;
  auto oldest = sessions_.end();
  for (auto entry = sessions_.begin(); entry != sessions_.end(); ++entry) {
    if (!is_own(*entry) || !entry->second.child) continue;
    if (oldest == sessions_.end() || entry->second.last_used < oldest->second.last_used) {
      oldest = entry;
    }
  }
  if (oldest == sessions_.end()) return false;
  sessions_.erase(oldest);
  return true;
}

void Sessions::put_back(std::string const& session, std::unique_ptr<Child> child) {
  std::lock_guard const lock{mutex_};
  auto const found = sessions_.find(session);
  if (found == sessions_.end()) return;
  if (!child || found->second.ends) {
    sessions_.erase(found);
    return;
  }
  found->second.child = std::move(child);
  found->second.last_used = Clock::now();
}

std::size_t Sessions::count() {
  std::lock_guard const lock{mutex_};
  return sessions_.size();
}

void Sessions::end(std::string_view session) {
  std::lock_guard const lock{mutex_};
  auto const found = sessions_.find(session);
  if (found == sessions_.end()) return;
  if (!found->second.child) {
    found->second.ends = true;
    return;
  }
  sessions_.erase(found);
}

void Sessions::sweep(Clock::time_point now) {
  std::lock_guard const lock{mutex_};
  std::erase_if(sessions_, [&](auto const& entry) {
    return entry.second.child && now - entry.second.last_used > limits_.idle;
  });
}

}  // namespace sallyport::js
