// Which resources of a server clients want to hear about, and who: a server is to tell of what
// somebody waits for, and of nothing else.
#pragma once

#include "src/base/result.hpp"
#include "src/mcp/session.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace sallyport::upstream {

// From any thread.
class Interests : public std::enable_shared_from_this<Interests> {
 public:
  struct Limits {
    std::size_t uris{1'000};
    std::size_t of_principal{200};  // not of those who are told apart from nobody
  };

  // `changed`: other URIs are wanted than before. Called under the lock: it only posts.
  Interests(Limits limits, std::function<void()> changed)
      : limits_{limits}, changed_{std::move(changed)} {}

  // Lasts as long as what it returns. Fails with LimitExceeded. `principal`: Principal::key().
  Result<mcp::Interest> add(std::string uri, std::string principal);

  std::set<std::string> uris() const;

  // Nobody is told of changes any more.
  void close();

 private:
  class Held;

  bool is_full_for(std::string const& uri, std::string const& principal) const;
  void remove(std::string const& uri, std::string const& principal);

  Limits limits_;
  mutable std::mutex mutex_;  // guards the rest
  std::function<void()> changed_;
  std::map<std::string, std::map<std::string, std::size_t>> wanted_;  // URI, principal: how often
  std::map<std::string, std::size_t> shares_;                         // URIs by principal
};

}  // namespace sallyport::upstream
