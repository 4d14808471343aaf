// Requests at older servers that wait until a stateless client comes back with an answer.
//
// SECURITY: a handle is sealed into what the client brings back, bound to the principal and the
// call; it is good once.
#pragma once

#include "src/upstream/session/errand.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace sallyport::upstream {

struct ParkedErrand {
  std::shared_ptr<Errand> errand;
  mcp::client::Inquiry inquiry;  // what it waits for
  std::string principal{};       // Principal::key() of whoever has to answer
};

// From any loop; its lock is held for the look into a map.
class ParkedErrands {
 public:
  struct Limits {
    std::size_t count{1'000};
    std::size_t of_principal{100};            // not of those who are told apart from nobody
    std::chrono::milliseconds time{600'000};  // as long as a client may take to answer
  };

  explicit ParkedErrands(Limits limits) : limits_{limits} {}

  // The handle to take it again with. Fails with LimitExceeded.
  Result<std::string> park(ParkedErrand parked);
  std::optional<ParkedErrand> take(std::string const& handle);

  // Gives up those for which nobody came.
  void sweep(Clock::time_point now);

 private:
  bool is_full_for(std::string const& principal) const;

  struct Entry {
    ParkedErrand parked;
    Clock::time_point until;
  };

  Limits limits_;
  std::mutex mutex_;
  std::map<std::string, Entry> entries_;
};

}  // namespace sallyport::upstream
