// `sallyport js` on a terminal: one expression after the other, with the globals of those before.
#pragma once

#include "src/app/js_script.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace sallyport::app {

// What happens between a line and the next prompt. Where lines come from is somebody else's matter.
class JsRepl {
 public:
  using MakeWorld = std::function<std::unique_ptr<js::World>()>;

  // Each script is `pattern` with the code of its own. `engine` must outlive every task.
  JsRepl(js::Engine& engine, MakeWorld make_world, js::Script pattern, ScriptStreams streams);

  // "... " while a script goes on over several lines.
  std::string_view prompt() const noexcept { return pending_.empty() ? "> " : "... "; }

  enum class Next { Line, End };
  // Runs what is complete, and prints its value. An empty line ends what is not complete.
  Task<Next> take(std::string line);

  // Ctrl+C at the prompt: forgets what was written so far. The second in a row ends.
  Next interrupt();

 private:
  js::Engine& engine_;
  MakeWorld make_world_;
  js::Script pattern_;
  ScriptStreams streams_;
  std::string pending_;
  bool may_end_{false};  // Ctrl+C has just been pressed, to no other effect
};

}  // namespace sallyport::app
