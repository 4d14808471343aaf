// Signing in to a server, in two halves with a browser between them:
//
//   begin(server, redirect URI) ─► URL for the browser     … a person signs in there …
//   finish(what the browser brought to the redirect URI) ─► the grant is in the store
//
// A command line drives it with a redirect to a loopback port, a web page with a route of its own.
// SECURITY: state and verifier stay here; the browser sees the state alone, which is good for one
// answer within ten minutes.
#pragma once

#include "src/base/task.hpp"
#include "src/http/client.hpp"
#include "src/oauth/upstream/authorization.hpp"
#include "src/oauth/upstream/grant_store.hpp"
#include "src/oauth/upstream/token_call.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace sallyport::oauth::upstream {

struct SignInStart {
  std::string authorization_url;  // https, or http on this machine
  std::string state;
};

struct SignedIn {
  std::string server;  // its id
  std::string issuer;
  std::string scope;
  bool lasting{false};  // can be renewed without a person
};

// From any loop. What is given to the constructor must outlive it.
class SignIn {
 public:
  SignIn(http::Client& client, GrantStore& store,
         std::function<WallClock::time_point()> clock = &WallClock::now)
      : client_{client}, store_{store}, clock_{std::move(clock)} {}

  // Who would be asked for tokens, as far as that can be known without registering us. Fails as
  // begin() would.
  Task<Discovery> look(ServerSettings server, Deadline deadline);

  // Asks the server what it wants, unless it has said so lately, finds its authorization server and
  // registers us there if need be. Fails with CredentialUnavailable, or as the client does.
  Task<SignInStart> begin(ServerSettings server, std::string redirect_uri, Deadline deadline);

  // `query` is that of the redirect URI; `owner` is who brings it: SECURITY: nobody can have
  // somebody else sign in for them. Fails with CredentialUnavailable or InvalidInput, or as the
  // client does.
  Task<SignedIn> finish(std::string owner, std::string query);

  // Nobody came back: maybe nobody can. An authorization server that has forgotten a client shows
  // an error and sends the browser nowhere. Whether the next sign-in registers us anew.
  Result<bool> give_up(std::string const& state);

  // Revokes what the server's grants hold, where their issuers can, and forgets them in any case,
  // and as whom we were registered there.
  // Fails with CredentialUnavailable where a revocation did.
  Task<void> sign_out(ServerSettings server);

 private:
  struct Pending {
    ServerSettings server;
    Grant grant;  // without tokens as yet
    Secret verifier;
    std::string redirect_uri;
    bool issuer_required{false};
    WallClock::time_point until;
  };

  Task<ServerChallenge> what_it_wants(ServerSettings const& server, Deadline deadline);
  Task<Discovery> find(ServerSettings const& server, ServerChallenge challenge, Deadline deadline);
  Result<std::string> scope_for(ServerSettings const& server, ServerChallenge const& challenge,
                                Discovery const& discovery);
  void keep(std::string const& state, Pending pending);
  std::optional<Pending> extract(std::string const& state);
  std::optional<Pending> take(std::string const& state);
  Task<void> revoke(ServerSettings const& server, Grant const& grant);

  http::Client& client_;
  GrantStore& store_;
  std::function<WallClock::time_point()> clock_;
  DpopNonces nonces_;
  std::mutex mutex_;
  std::map<std::string, Pending> pending_;  // by state
};

}  // namespace sallyport::oauth::upstream
