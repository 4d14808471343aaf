// One sandbox for all tests of a suite: runs share nothing but the process that forks them, and
// tests that break it start their own.
#pragma once

#include "tests/js/process_facts.hpp"
#include "tests/support/js_sandbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace sallyport::test {

class SandboxTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { sandbox_ = std::make_unique<JsSandbox>(SANDBOX_PROGRAM); }
  static void TearDownTestSuite() { sandbox_.reset(); }
  void SetUp() override { ASSERT_FALSE(sandbox_->ready().empty()) << "it does not start"; }

  static JsSandbox& sandbox() { return *sandbox_; }

  static pid_t forking(JsSandbox const& sandbox) {
    auto const* const namespaces = json::find_string(sandbox.ready(), "namespaces");
    return forking_process(sandbox.pid(), namespaces != nullptr && !namespaces->empty());
  }

  // In a child of its own. Waits for the end of the child, too.
  static ScriptAnswer run(std::string code, SandboxLimits limits = {}) {
    auto peer = sandbox().fork(limits);
    auto answer = peer.run_to_end(std::move(code));
    ended_ = sandbox().message_text();
    id_ = peer.id();
    return answer;
  }
  // How the last child of run() ended, e.g. `"exit":0`.
  static std::string ended() {
    auto const start = fmt::format(R"({{"ended":{},)", id_);
    if (!ended_.starts_with(start)) return "not the end of this run: " + ended_;
    return ended_.substr(start.size(), ended_.size() - start.size() - 1);
  }

 private:
  static inline std::unique_ptr<JsSandbox> sandbox_;
  static inline std::string ended_;
  static inline std::int64_t id_{0};
};

}  // namespace sallyport::test
