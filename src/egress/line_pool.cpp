#include "src/egress/line_pool.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::egress {

std::shared_ptr<HttpLine> LinePool::take(std::string_view origin,
                                         JudgedAddresses const& addresses) {
  for (auto at = idle_.begin(); at != idle_.end();) {
    auto const& place = (*at)->place();
    if ((*at)->is_late()) {
      at = idle_.erase(at);
      continue;
    }
    bool const leads_there =
        place.origin == origin && std::ranges::all_of(place.addresses, [&](auto const& address) {
          return addresses.contains(address, addresses.port());
        });
    if (!leads_there) {
      ++at;
      continue;
    }
    auto line = std::move(*at);
    at = idle_.erase(at);
    if (line->is_fresh()) return line;
  }
  return nullptr;
}

void LinePool::put(std::shared_ptr<HttpLine> line, Clock::time_point until) {
  if (stopped_ || most_ == 0) return;
  line->break_at(until);
  idle_.push_front(std::move(line));
  if (idle_.size() > most_) idle_.pop_back();
}

void LinePool::stop() {
  stopped_ = true;
  idle_.clear();
}

}  // namespace sallyport::egress
