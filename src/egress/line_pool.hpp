// The connections of one loop that wait for their next request. Inside egress.
#pragma once

#include "src/egress/http_line.hpp"

#include <cstddef>
#include <list>
#include <memory>

namespace sallyport::egress {

// Of one loop: no lock.
class LinePool {
 public:
  explicit LinePool(std::size_t most) : most_{most} {}

  // The one used last, out of those that lead to the origin and, SECURITY, to addresses that were
  // judged for this very request. Null: there is none.
  std::shared_ptr<HttpLine> take(std::string_view origin, JudgedAddresses const& addresses);
  // Keeps it until then. The one that has waited longest makes room.
  void put(std::shared_ptr<HttpLine> line, Clock::time_point until);

  // Nothing is kept from now on.
  void stop();

  std::size_t size() const noexcept { return idle_.size(); }

  std::size_t under_way{0};  // exchanges of this loop

 private:
  std::size_t const most_;
  bool stopped_{false};
  std::list<std::shared_ptr<HttpLine>> idle_;  // the one used last at the front
};

}  // namespace sallyport::egress
