// Discovery for all whose requests a server refused at the same time: with one token that is
// revoked they are many, and each would ask the same questions of the authorization server.
#pragma once

#include "src/oauth/upstream/client_settings.hpp"
#include "src/oauth/upstream/discovery.hpp"

#include <memory>

namespace sallyport::oauth::upstream {

// From any loop. `client` must live as long as the loops run.
class SharedDiscovery {
 public:
  SharedDiscovery(ServerSettings const& settings, http::Client& client);
  ~SharedDiscovery();
  SharedDiscovery(SharedDiscovery const&) = delete;
  SharedDiscovery& operator=(SharedDiscovery const&) = delete;

  // What is found now, or by whoever looks already. Nothing is remembered. Fails as discover()
  // does, and with DeadlineExceeded (of `deadline`) or Cancelled.
  Task<Discovery> look(ServerChallenge challenge, Deadline deadline);

 private:
  class State;
  std::shared_ptr<State> state_;  // also of who looks
};

}  // namespace sallyport::oauth::upstream
