// One server, looked at step by step: may it be reached, does it speak MCP, which tools does it
// have; and where it wants somebody to sign in, with whom.
#pragma once

#include "src/app/servers/known_servers.hpp"
#include "src/app/servers/steps.hpp"
#include "src/app/servers/visit.hpp"
#include "src/upstream/session/connection.hpp"

#include <memory>
#include <optional>

namespace sallyport::app::servers {

// A connection, with what lets it in.
class ServerLink {
 public:
  // Fails as Visit::grants() does. All outlive it. `observer` hears what belongs to no request;
  // null: nobody does.
  static Result<std::unique_ptr<ServerLink>> create(Visit& visit,
                                                    config::McpServerSettings const& server,
                                                    mcp::client::Observer* observer = nullptr);

  upstream::Connection& connection() noexcept { return *connection_; }

  // Must have returned before it is destroyed.
  Async<void> close() { co_await connection_->close(); }

 private:
  class Deaf final : public mcp::client::Observer {
    void heard(mcp::NotificationMessage const&) override {}
  };

  ServerLink() = default;

  Deaf deaf_;
  std::unique_ptr<oauth::upstream::UpstreamAuthorizer> authorizer_;
  std::unique_ptr<upstream::Connection> connection_;
};

struct Tested {
  KnownServer seen;
  std::optional<Error> failure;
  bool wants_sign_in{false};  // which is all that it lacks
};

// Never fails but with Cancelled: what went wrong is in the outcome, and was shown.
Task<Tested> test_server(Visit& visit, config::McpServerSettings const& server, Steps& steps);

// What to do about a failure, as far as one can know; may be empty.
std::string how_to_mend(Error const& failure, config::McpServerSettings const& server);

// Remembers it beside the file of servers; a memory that cannot be written is only logged.
void remember(config::Settings const& settings, std::string const& name, Tested const& tested);

}  // namespace sallyport::app::servers
