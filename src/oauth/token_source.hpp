// An access token of ours, fetched when it is first needed and renewed before it expires.
//
//   request ─► fresh? ──────────────────────────────────────► the token
//                └─► a flight under way? ── no ─► start one
//                       └──────────── wait for it ◄──┘ ─────► what it brought
//
// One source serves all loops. The lock is held for the copy of a pointer, never across a wait. One
// call to the token endpoint is under way at a time; it belongs to nobody who waits for it, so who
// gives up leaves it to the others. A failure is remembered for a while, longer each time.
#pragma once

#include "src/base/task.hpp"
#include "src/http/client.hpp"
#include "src/oauth/token_metrics.hpp"
#include "src/oauth/token_options.hpp"
#include "src/oauth/token_request.hpp"

#include <functional>
#include <memory>

namespace sallyport::oauth {

// From any loop.
class TokenSource {
 public:
  struct Clocks {
    std::function<WallClock::time_point()> wall = &WallClock::now;
    std::function<Clock::time_point()> steady = &Clock::now;
  };

  explicit TokenSource(TokenOptions options);
  TokenSource(TokenOptions options, Clocks clocks);
  ~TokenSource();
  TokenSource(TokenSource const&) = delete;
  TokenSource& operator=(TokenSource const&) = delete;

  TokenOptions const& options() const noexcept;

  // Counts there from now on; what they belong to outlives the source's last call. Before the loops
  // start.
  void measure(TokenMetrics metrics) noexcept;

  // "Bearer …". Fails with CredentialUnavailable, DeadlineExceeded (of `deadline`) or Cancelled.
  // `client` must live as long as the loops run: a call may outlast whoever asked for it.
  Task<Secret> value(http::Client& client, Deadline deadline);

  // A site answered 401 to `refused`: whether there is another token now. SECURITY: sites that
  // refuse every token make us ask for a new one at most every ten seconds.
  Async<bool> renew(Secret refused, http::Client& client, Deadline deadline);

 private:
  class State;
  std::shared_ptr<State> state_;  // also of the flights
};

}  // namespace sallyport::oauth
