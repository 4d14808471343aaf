// Waits for orders on the control socket, forks a child for each run, and tells how it ended.
#pragma once

#include "src/js/sandbox/control.hpp"
#include "src/js/sandbox/engine.hpp"
#include "src/js/sandbox/spare_children.hpp"

#include <deque>
#include <map>
#include <string>
#include <sys/types.h>
#include <unordered_map>

namespace sallyport::js::sandbox {

class Zygote {
 public:
  // `engine` must outlive it. `namespaces`: what the process is in, for the gateway's log.
  Zygote(Engine& engine, int control_socket, std::string namespaces);

  // Until the control socket is closed: then it kills its children and returns.
  void serve();

 private:
  int time_for_spares() const;
  void take_orders();
  bool take_order();
  void carry_out(ForkRequest const& request, int socket);
  void carry_out(KillRequest const& request);
  void start_child(ForkRequest const& request, int socket);
  void reap();
  void say(std::string message);
  void say_what_is_left();
  void kill_all();

  Engine& engine_;
  int control_;
  int children_ended_;  // a signalfd
  std::size_t baseline_bytes_;
  SpareChildren spares_;
  std::size_t processors_;
  bool is_over_{false};
  std::map<RunId, pid_t> processes_;
  std::unordered_map<pid_t, RunId> runs_;
  std::deque<std::string> unsaid_;  // while the gateway does not read
};

}  // namespace sallyport::js::sandbox
