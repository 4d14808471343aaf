// Keeps the policies of the settings: compiles them at start, and again when their files change.
//
// A file that cannot be read or compiled leaves the policy before it in force, and is shouted
// about: in the log, and in a metric and at /readyz until it is mended.
#pragma once

#include "src/base/metrics.hpp"
#include "src/base/published.hpp"
#include "src/base/worker_pool.hpp"
#include "src/http/client.hpp"
#include "src/json/value.hpp"
#include "src/policy/chain.hpp"
#include "src/policy/rego_source.hpp"

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace sallyport::app {

// SECURITY: names, places and kinds of errors; nothing of what stands in the files, nor where they
// are. Whoever asks may see it.
struct PolicyProblem {
  std::string policy;    // the name of its file or folder
  std::string problem;   // "fetch.rego:2:7: rego_parse_error"
  std::string in_force;  // the revision that judges in its place
};

// {"policies":[…]}; empty without problems.
json::Object to_json(std::vector<PolicyProblem> const& problems);

class PolicyKeeper {
 public:
  // How policies reach others: OPA servers, and whatever http.send asks.
  struct Ways {
    http::Client& client;
    policy::Sender& sender;
  };
  // Fails with InvalidInput: every error of the first source that has some. `ways` and `metrics`
  // outlive the keeper.
  static Result<std::unique_ptr<PolicyKeeper>> create(policy::ChainSettings const& settings,
                                                      Ways ways, Metrics& metrics);
  // Ends the watching.
  ~PolicyKeeper();
  PolicyKeeper(PolicyKeeper const&) = delete;
  PolicyKeeper& operator=(PolicyKeeper const&) = delete;

  policy::Chain& chain() noexcept { return *chain_; }

  // Looks at the files as soon as possible, as if they had changed. From any thread.
  void reload();

  // Policies whose files cannot be used. From any thread.
  std::vector<PolicyProblem> problems() const { return *problems_.get(); }

 private:
  struct Watched {
    std::filesystem::path path;
    std::string rule;
    policy::RegoSource* source;  // the chain owns it
    std::string revision;
    std::string problem;  // empty: none
  };

  PolicyKeeper(policy::HttpSend http_send, Metrics& metrics);

  Result<std::unique_ptr<policy::Source>> make_source(policy::SourceSettings const& settings,
                                                      Ways ways);
  void watch();
  void run();
  void look_again();
  void look_again_at(Watched& watched);
  static void report_broken(Watched& watched, Error const& error);
  void publish_problems();

  policy::HttpSend http_send_;
  Gauge& broken_;
  Counter& reloads_;
  policy::SendCache send_cache_;
  std::unique_ptr<WorkerPool> senders_;  // where policies may use http.send
  std::unique_ptr<policy::Chain> chain_;
  Published<std::vector<PolicyProblem>> problems_{
      std::make_shared<std::vector<PolicyProblem> const>()};
  std::vector<Watched> watched_;  // of the thread, once it runs
  int changes_;                   // inotify
  int wake_;                      // eventfd: look again, or stop
  std::atomic<bool> stops_{false};
  std::thread thread_;  // last: it uses the others
};

}  // namespace sallyport::app
