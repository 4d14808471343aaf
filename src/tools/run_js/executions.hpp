// Starts scripts, owns their runs, and keeps what became of them for a while.
//
// A call waits for its run but does not own it: it may be answered while the run goes on. So every
// run is a child of a group of this store, on the loop that its call came in on.
//
// Only runs that somebody may ask about later are kept (`keep`). SECURITY: they are found together
// with their owner, and nobody learns of others' runs.
#pragma once

#include "src/tools/run_js/execution.hpp"

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace sallyport::tools {

struct ExecutionLimits {
  std::size_t under_way{64};  // of one owner; 0: as many as the engine takes
  // Of those that have ended: the oldest go first.
  std::size_t kept{100};                         // of one owner
  std::size_t kept_bytes{16UL * 1024 * 1024};    // of one owner
  std::size_t total_bytes{256UL * 1024 * 1024};  // of all
  std::chrono::milliseconds kept_for{3'600'000};
};

// From any thread, unless it says otherwise.
class ExecutionStore {
 public:
  using Now = std::function<WallTime()>;

  // `engine` must live until stop() has returned.
  ExecutionStore(ExecutionLimits limits, js::Engine& engine,
                 Now now = &std::chrono::system_clock::now);
  ~ExecutionStore();  // after stop(), if anything was started
  ExecutionStore(ExecutionStore const&) = delete;
  ExecutionStore& operator=(ExecutionStore const&) = delete;

  struct Start {
    std::string id;              // of random_id()
    std::string session;         // as its caller named it; `script.session` is what it is
    std::size_t value_bytes{0};  // a larger value is not kept
    js::Script script;
    std::unique_ptr<js::World> world;
    js::ConsoleListener* relay{nullptr};
  };
  // On the loop of `home`. Fails with LimitExceeded when the owner has too many, and at the end of
  // the program.
  Result<std::shared_ptr<Execution>> start(Executor home, Start what);

  // Lets its owner ask for it, from now on until it is too old.
  void keep(std::shared_ptr<Execution> const& execution);

  // nullptr when there is no such run of that owner.
  std::shared_ptr<Execution> find(std::string const& id, std::string const& owner);
  // The owner's runs, newest first.
  std::vector<ExecutionFacts> list(std::string const& owner);

  // Forgets what is too old; also done whenever somebody asks. Call it now and then.
  void remove_expired();

  // Ends every run, and returns when the last has ended. Nothing is started afterwards.
  Task<void> stop();

 private:
  using Ended = std::list<std::shared_ptr<Execution>>;
  struct Owner {
    std::size_t under_way{0};
    std::list<std::shared_ptr<Execution>> running;  // kept ones only
    std::deque<Ended::iterator> ended;
    std::size_t bytes{0};
  };
  using Owners = std::unordered_map<std::string, Owner>;

  Task<void> run(std::shared_ptr<Execution> execution, js::Script script,
                 std::unique_ptr<js::World> world);
  Result<TaskGroup*> take_place(std::string const& owner, Executor const& home);

  // With the lock held:
  void note_end(std::shared_ptr<Execution> const& execution);
  void add_ended(Owner& owner, std::shared_ptr<Execution> const& execution);
  void remove_oldest(Owner& owner);
  void trim(Owner& owner);
  void trim_all();
  void drop_if_empty(std::string const& owner);

  ExecutionLimits limits_;
  js::Engine& engine_;
  Now now_;

  std::mutex mutex_;
  bool stopping_{false};
  std::unordered_map<asio::io_context*, std::unique_ptr<TaskGroup>> groups_;  // one for each loop
  std::unordered_map<std::string, std::shared_ptr<Execution>> by_id_;         // kept ones only
  Owners owners_;
  Ended ended_;  // of all owners, oldest first
  std::size_t total_bytes_{0};
};

}  // namespace sallyport::tools
