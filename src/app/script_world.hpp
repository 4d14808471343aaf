// What scripts reach: the road out, under the policies for `fetch` and `websocket`, and tools.
#pragma once

#include "src/app/script_tools.hpp"
#include "src/js/world.hpp"
#include "src/pipeline/road.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace sallyport::app {

struct ScriptReach {
  // Whether there are policies for them.
  bool fetch{false};
  bool sockets{false};
  std::size_t max_redirects{20};
  std::chrono::milliseconds timeout{30'000};  // until the head of an answer
  std::size_t request_bytes{0};
  std::size_t response_bytes{0};
};

// The ways that lead there; they outlive every world.
struct ScriptWays {
  pipeline::Road& road;
  ScriptTools& tools;
};

// The world of one run; `caller` names it.
std::unique_ptr<js::World> make_script_world(ScriptReach const& reach, ScriptWays ways,
                                             RequestContext caller);

}  // namespace sallyport::app
