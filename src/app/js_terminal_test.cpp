// `sallyport js` on a terminal: a child process with one, and a test that types.
#include "src/app/js_session.hpp"
#include "src/tools/run_js/test_engine.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sallyport::app {
namespace {

using tools::test_js::FakeEngine;
using tools::test_js::NoWorld;
using tools::test_js::value_of;

// Every script has the value 7, but `wait` never ends.
Result<JsService::Parts> sevens() {
  auto engine = std::make_unique<FakeEngine>();
  engine->outcome = value_of(7);
  engine->on_run = [made = engine.get()] {
    bool const waits = made->scripts.back().code == "wait";
    made->gate = waits ? OneShotEvent::make() : nullptr;
    made->lines.clear();
    if (waits) made->log("waiting");
  };
  return JsService::Parts{std::move(engine), [](RequestContext const&, std::string const&) {
                            return std::make_unique<NoWorld>();
                          }};
}

[[noreturn]] void read_lines_and_exit() {
  config::Settings settings;
  settings.audit.enabled = false;
  log::configure({.level = log::Level::Off});
  auto const make_parts = [](auto const&, auto) { return sevens(); };
  auto const session = JsSession::create(settings, {std::cout, std::cerr}, make_parts);
  int const code = session ? (*session)->read_lines() : 99;
  std::cout.flush();
  _exit(code);
}

class Terminal {
 public:
  Terminal() {
    child_ = forkpty(&descriptor_, nullptr, nullptr, nullptr);
    if (child_ == 0) read_lines_and_exit();
  }
  ~Terminal() {
    if (child_ > 0 && !ended_) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    close(descriptor_);
  }
  Terminal(Terminal const&) = delete;
  Terminal& operator=(Terminal const&) = delete;

  void type(std::string_view text) const {
    auto const written = write(descriptor_, text.data(), text.size());
    EXPECT_EQ(written, static_cast<ssize_t>(text.size()));
  }

  // Whether the text appears behind what was looked for before.
  bool shows(std::string_view text) {
    constexpr int kPatience = 10'000;
    for (;;) {
      auto const found = seen_.find(text);
      if (found != std::string::npos) {
        seen_.erase(0, found + text.size());
        return true;
      }
      pollfd watched{descriptor_, POLLIN, 0};
      if (poll(&watched, 1, kPatience) <= 0) return false;
      char buffer[4096];
      auto const count = read(descriptor_, buffer, sizeof buffer);
      if (count <= 0) return false;
      seen_.append(buffer, static_cast<std::size_t>(count));
    }
  }
  int exit_code() {
    int status = 0;
    waitpid(child_, &status, 0);
    ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  std::string const& seen() const noexcept { return seen_; }

 private:
  int descriptor_{-1};
  pid_t child_{-1};
  bool ended_{false};
  std::string seen_;
};

TEST(JsTerminal, RunsLineAfterLineAndCtrlCEndsTheScriptOnly) {
  Terminal terminal;
  ASSERT_TRUE(terminal.shows("> ")) << terminal.seen();

  terminal.type("3 + 4\n");
  EXPECT_TRUE(terminal.shows("\n7\r\n> ")) << terminal.seen();
  terminal.type("wait\n");
  EXPECT_TRUE(terminal.shows("waiting\r\n")) << terminal.seen();
  terminal.type("\x03");
  EXPECT_TRUE(terminal.shows("The script was cancelled.\r\n")) << terminal.seen();
  EXPECT_TRUE(terminal.shows("> ")) << terminal.seen();
  terminal.type("1\n");
  EXPECT_TRUE(terminal.shows("\n7\r\n> ")) << terminal.seen();

  terminal.type("\x04");
  EXPECT_EQ(terminal.exit_code(), 0);
}

TEST(JsTerminal, CtrlCAtThePromptTwiceEnds) {
  Terminal terminal;
  ASSERT_TRUE(terminal.shows("> ")) << terminal.seen();

  terminal.type("\x03");
  EXPECT_TRUE(terminal.shows("ends)\r\n> ")) << terminal.seen();
  terminal.type("\x03");

  EXPECT_EQ(terminal.exit_code(), 0);
}

}  // namespace
}  // namespace sallyport::app
