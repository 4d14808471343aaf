// Keeps grants, clients and what servers asked for in a file, sealed: whoever reads the file
// without the key learns which servers are used, and nothing else.
//
// Several processes may use one file (a command line beside a server): each change is a transaction
// of SQLite, and a refresh token is used by one of them at a time (lock()). From any thread; a call
// reads or writes the disk while the caller waits, so none is made per request.
#pragma once

#include "src/base/result.hpp"
#include "src/base/sealer.hpp"
#include "src/oauth/upstream/challenge.hpp"
#include "src/oauth/upstream/grant.hpp"
#include "src/store/private_file.hpp"
#include "src/store/sqlite.hpp"

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

namespace sallyport::oauth::upstream {

class GrantStore {
 public:
  // Makes the file, and folders of mode 0700 for it. Fails as store::Database does.
  static Result<std::unique_ptr<GrantStore>> open(std::filesystem::path file,
                                                  std::unique_ptr<Sealer const> sealer);

  // Whether the file has tokens, or clients that were registered, under whatever key. Makes no
  // file.
  static Result<bool> holds_something(std::filesystem::path const& file);

  // The newest for that server, as long as its URL is still the same: SECURITY: a name that points
  // to another place now must not take the tokens there. One that cannot be opened (another key)
  // counts as none, and is logged.
  Result<std::optional<Grant>> grant(ServerSettings const& server);
  // Takes the place of the one for the same server, owner, issuer and resource.
  Result<void> put(ServerSettings const& server, Grant const& grant);
  // All of the server's.
  Result<std::vector<Grant>> grants(ServerSettings const& server);
  Result<void> forget(ServerSettings const& server);

  // As whom we are registered with an issuer; never used with another.
  Result<std::optional<Client>> client(std::string_view issuer, std::string_view redirect_uri);
  // `server` is whose sign-in it was made for.
  Result<void> put_client(ServerSettings const& server, std::string_view issuer,
                          std::string_view redirect_uri, Client const& client);
  Result<void> forget_client(std::string_view issuer, std::string_view redirect_uri);
  // All with the issuers that the server has led us to.
  Result<void> forget_clients(ServerSettings const& server);

  // What the server last asked for, for the next sign-in: maybe in another process.
  Result<std::optional<ServerChallenge>> challenge(ServerSettings const& server);
  Result<void> put_challenge(ServerSettings const& server, ServerChallenge const& challenge);
  Result<void> forget_challenge(ServerSettings const& server);

  // Who holds it is the only one to use the refresh token of that server. Fails at once, with
  // InvalidInput, while another has it.
  Result<store::FileLock> lock(ServerSettings const& server) const;

 private:
  GrantStore(std::filesystem::path file, store::Database database,
             std::unique_ptr<Sealer const> sealer)
      : file_{std::move(file)}, database_{std::move(database)}, sealer_{std::move(sealer)} {}

  struct Row {
    std::string kind;
    std::string key;   // whose it is
    std::string name;  // which one of those
  };
  Result<void> write(Row const& row, std::string_view text);
  Result<std::vector<std::string>> read(Row const& row);
  Result<void> erase(Row const& row);
  std::optional<std::string> opened(Row const& row, std::string_view sealed) const;

  std::filesystem::path file_;
  std::mutex mutex_;  // guards the database
  store::Database database_;
  std::unique_ptr<Sealer const> sealer_;
};

}  // namespace sallyport::oauth::upstream
