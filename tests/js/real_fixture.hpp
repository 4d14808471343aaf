// A sandbox with the web APIs of the product in it.
#pragma once

#include "tests/js/sandbox_fixture.hpp"

#include <chrono>

namespace sallyport::test {

class RealSandboxTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { sandbox_ = std::make_unique<JsSandbox>(REAL_SANDBOX_PROGRAM); }
  static void TearDownTestSuite() { sandbox_.reset(); }
  void SetUp() override { ASSERT_FALSE(sandbox_->ready().empty()) << "it does not start"; }

  static JsSandbox& sandbox() { return *sandbox_; }

  // In a child of its own. Waits for the end of the child, too.
  static ScriptAnswer run(std::string code, SandboxLimits limits = {.cpu_ms = 5000}) {
    auto peer = sandbox().fork(limits);
    auto answer = peer.run_to_end(std::move(code));
    ended_ = sandbox().message_text();
    return answer;
  }
  static std::string const& ended() { return ended_; }

  // Whatever a script did: the next one is answered, and soon.
  static void expect_next_answers(std::string const& after) {
    auto const begun = std::chrono::steady_clock::now();
    EXPECT_EQ(run("1 + 1").value(), "2") << "after " << after;
    EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{3}) << after;
  }

 private:
  static inline std::unique_ptr<JsSandbox> sandbox_;
  static inline std::string ended_;
};

}  // namespace sallyport::test
