// The grant of one server that is in use: from the store, renewed before it expires.
//
// As with TokenSource: one keeper serves all loops, its lock is held for the copy of a pointer, one
// renewal is under way at a time and belongs to nobody who waits for it, and failures are
// remembered for a while. Between processes the store's lock does the same.
#pragma once

#include "src/base/task.hpp"
#include "src/http/client.hpp"
#include "src/oauth/upstream/discovery.hpp"
#include "src/oauth/upstream/grant_store.hpp"
#include "src/oauth/upstream/token_call.hpp"

#include <functional>
#include <memory>
#include <optional>

namespace sallyport::oauth::upstream {

struct HeldGrant {
  Grant grant;
  std::optional<DpopKey> key;
};
using Held = std::shared_ptr<HeldGrant const>;  // immutable: loops share it

struct Clocks {
  std::function<WallClock::time_point()> wall = &WallClock::now;
  std::function<Clock::time_point()> steady = &Clock::now;
};

// From any loop. `client` and `store` must live as long as the loops run.
class GrantKeeper {
 public:
  GrantKeeper(ServerSettings settings, http::Client& client, GrantStore& store, Clocks clocks);
  ~GrantKeeper();
  GrantKeeper(GrantKeeper const&) = delete;
  GrantKeeper& operator=(GrantKeeper const&) = delete;

  // The grant, renewed if it is time; nullptr where there is none. It may be expired, where nothing
  // can renew it. Fails with CredentialUnavailable, DeadlineExceeded (of `deadline`) or Cancelled.
  Task<Held> current(Deadline deadline);

  // The server refused that token (empty: a request without): another grant; nullptr where none can
  // be had without a person. SECURITY: a server that refuses every token makes us ask for a new one
  // at most every ten seconds. Fails as above.
  Task<Held> another(Secret refused, Deadline deadline);
  // Whether another() would ask the authorization server for one: there is something to ask with,
  // nobody does already, and it is not too soon.
  bool would_ask(Secret const& refused) const;

  // Of grants for which nobody signs in: where to get them from now on, and for what. A wider scope
  // makes the grant at hand stale.
  void use(Discovery discovery, std::string scope);

  // Takes what the store has now: somebody may have signed in, or out, elsewhere. Reads the disk.
  Result<Held> look();

  // Whatever there is, without waiting.
  Held at_hand() const;
  DpopNonces& nonces() const noexcept;

 private:
  class State;
  std::shared_ptr<State> state_;  // also of the renewals
};

}  // namespace sallyport::oauth::upstream
