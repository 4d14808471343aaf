#include "src/upstream/session/parked_errands.hpp"

#include "src/base/random_id.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace sallyport::upstream {

// SECURITY: whoever lets calls wait keeps no others from it.
bool ParkedErrands::is_full_for(std::string const& principal) const {
  if (entries_.size() >= limits_.count) return true;
  if (principal.empty()) return false;
  auto const is_theirs = [&](auto const& each) {
    return each.second.parked.principal == principal;
  };
  auto const theirs = std::ranges::count_if(entries_, is_theirs);
  return static_cast<std::size_t>(theirs) >= limits_.of_principal;
}

Result<std::string> ParkedErrands::park(ParkedErrand parked) {
  auto handle = random_id(16);
  std::lock_guard const lock{mutex_};
  if (is_full_for(parked.principal)) {
    return fail(Errc::LimitExceeded, "Too many calls wait for an answer. Try again later.");
  }
  entries_.emplace(handle, Entry{std::move(parked), Clock::now() + limits_.time});
  return handle;
}

std::optional<ParkedErrand> ParkedErrands::take(std::string const& handle) {
  std::lock_guard const lock{mutex_};
  auto const found = entries_.find(handle);
  if (found == entries_.end()) return std::nullopt;
  auto parked = std::move(found->second.parked);
  entries_.erase(found);
  return parked;
}

void ParkedErrands::sweep(Clock::time_point now) {
  std::vector<std::shared_ptr<Errand>> late;
  {
    std::lock_guard const lock{mutex_};
    for (auto at = entries_.begin(); at != entries_.end();) {
      if (at->second.until > now) {
        ++at;
        continue;
      }
      late.push_back(std::move(at->second.parked.errand));
      at = entries_.erase(at);
    }
  }
  for (auto const& errand : late) errand->give_up();
}

}  // namespace sallyport::upstream
