// All servers behind us as one: what they offer becomes part of what we offer, and calls lead back
// to them.
//
//   UpstreamServer (one each, any loop) ── changed ──► Gateway (loop 0) ── registry ──► mcp::Server
#pragma once

#include "src/base/published.hpp"
#include "src/base/worker_pool.hpp"
#include "src/mcp/server.hpp"
#include "src/pipeline/tool_gate.hpp"
#include "src/upstream/catalog/approvals.hpp"
#include "src/upstream/catalog/names.hpp"
#include "src/upstream/catalog/search_tools.hpp"
#include "src/upstream/gateway/upstream_server.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sallyport::upstream {

struct GatewayOptions {
  struct Server {
    ServerSettings settings;
    http::Authorizer* authorizer{nullptr};
  };
  std::vector<Server> servers;
  ApprovalMode approval{ApprovalMode::FirstUse};
  Approvals* approvals{nullptr};  // nothing: no tool is held back
  // From how many tools of servers on they are searched for instead of being listed.
  std::size_t search_above{200};
  // What one server has is offered as that server does it, where it is offered alone.
  bool original_names{false};
};

class Gateway {
 public:
  // `own` is what we offer ourselves. The rest outlives it.
  Gateway(GatewayOptions options, mcp::Registry::Builder own, pipeline::Road& road,
          pipeline::ToolGate const& gate, EventLoops& loops, Metrics& metrics);
  Gateway(Gateway const&) = delete;
  Gateway& operator=(Gateway const&) = delete;
  ~Gateway();

  // What is known so far, of all servers or of one (by its name). Fails with InvalidInput where our
  // own part is not in order. From any thread.
  Result<std::shared_ptr<mcp::Registry const>> registry() const;
  Result<std::shared_ptr<mcp::Registry const>> registry_of(std::string_view server) const;

  // Before start(): who offers everything, and who offers what one server has. They outlive the
  // gateway's stop().
  void serve(mcp::Server& everything);
  void serve(std::string_view server, mcp::Server& only_its);

  // The names under which servers stand in paths, in the order of the settings.
  struct Place {
    std::string name;
    std::string part;
  };
  std::vector<Place> places() const;

  void start();
  // Returns when every server has answered or failed once and that is shown, or at the deadline.
  Task<void> settled(Deadline deadline);
  // From any thread.
  std::vector<ServerStatus> status() const;
  void look_again();
  // Once a second, on loop 0.
  void sweep();
  // On loop 0.
  Task<void> stop();

 private:
  struct Shown {
    mcp::Server* everything{nullptr};
    std::vector<mcp::Server*> one_each;
    std::vector<std::pair<std::shared_ptr<Offer const>, ServerStatus>> last;  // of each
  };

  void changed();
  Result<mcp::Interest> subscribe(std::string const& uri, std::string const& principal);
  void tell_updated(std::size_t server, std::string const& uri) const;
  Task<void> keep_registries();
  Task<void> show_each();
  Result<std::shared_ptr<mcp::Registry const>> prepared_registry();
  Task<std::vector<std::string>> withheld(std::string key, json::Array definitions);
  bool have_all_answered() const;

  GatewayOptions options_;
  mcp::Registry::Builder own_;
  pipeline::ToolGate const& gate_;
  Executor home_;
  ParkedErrands parked_;
  AliasBook tool_names_;
  AliasBook prompt_names_;
  std::vector<std::unique_ptr<UpstreamServer>> servers_;
  Published<mcp::Registry> current_;  // that shown_.everything shows
  std::shared_ptr<ToolSearch> search_;
  Shown shown_;
  bool has_changes_{false};
  bool shows_all_{false};  // whether every server has answered or failed once, by what is shown
  bool stopping_{false};
  Signal changed_;
  Signal settled_;
  TaskGroup group_;     // on loop 0
  WorkerPool workers_;  // last: what it does refers to the others
};

// As members of `_meta` and of /readyz.
json::Object to_json(std::vector<ServerStatus> const& servers);

}  // namespace sallyport::upstream
