// Under which names we offer the tools and prompts of other servers: `mcp_{server}_{tool}`.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::upstream {

inline constexpr std::size_t kLongestAlias = 64;  // what models and clients accept

// Lower-case ASCII; what is not [a-z0-9_] becomes `_`, of which none follows another, begins or
// ends the text. May be empty.
std::string sanitize(std::string_view name);

// Gives every name of every server an alias of its own, of 1 to 64 of [a-z0-9_].
//
// The alias of a tool depends on the names of all servers and on the other tools of its own server,
// never on what another server offers: no server can take an alias from another one. Within a
// server, a name that is clean already keeps its plain alias; names that only become equal by
// sanitising get a hash of what they really are. An alias changes when, and only when, a name that
// becomes equal to it comes or goes.
class AliasBook {
 public:
  using Names = std::set<std::string, std::less<>>;

  // `servers` are all that are configured, whether they answer or not. `reserved` are never given.
  explicit AliasBook(std::vector<std::string> const& servers, Names reserved = {});

  // What stands for the server in names and URIs: its sanitised name, unless that is empty, long or
  // another's. The server must be one of those above.
  std::string const& part_of(std::string_view server) const;

  // One alias for each of `names`, which are distinct, in their order.
  std::vector<std::string> aliases(std::string_view server,
                                   std::vector<std::string> const& names) const;

 private:
  struct Server {
    std::string part;
    std::vector<std::string> longer;  // prefixes of aliases that belong to other servers
  };

  Server const& find(std::string_view server) const;
  std::string compose(Server const& server, std::string_view body) const;
  std::string compose_hashed(Server const& server, std::string_view original_server,
                             std::string_view name, Names const& taken) const;

  std::map<std::string, Server, std::less<>> servers_;
  Names reserved_;
};

}  // namespace sallyport::upstream
