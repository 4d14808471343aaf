#include "src/app/policy_keeper.hpp"

#include "src/json/write.hpp"

#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <thread>

namespace sallyport::app {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class NoNetwork final : public http::Client, public policy::Sender {
 public:
  Task<http::Response> send(policy::SendRequest, policy::Question) override {
    co_return fail(Errc::UpstreamFailed, "There is no network here.");
  }
  Task<http::Response> send(http::ClientRequest) override {
    co_return fail(Errc::UpstreamFailed, "There is no network here.");
  }
};

class KeptPolicies : public testing::Test {
 protected:
  void write(std::string const& body, std::string const& name = "fetch.rego") const {
    folder_.write(name, "package mcp.fetch\n" + body);
  }
  std::unique_ptr<PolicyKeeper> keep(std::string const& url) {
    auto keeper = PolicyKeeper::create(
        {.sections = {{.name = "fetch",
                       .sources = {{.url = url, .rule = "data.mcp.fetch.allow"}}}}},
        {network_, network_}, metrics_);
    EXPECT_TRUE(keeper) << keeper.error().message;
    return keeper ? *std::move(keeper) : nullptr;
  }
  // Once there are so many.
  static std::vector<PolicyProblem> problems(PolicyKeeper const& keeper, std::size_t count) {
    auto const patience = std::chrono::steady_clock::now() + 20s;
    while (keeper.problems().size() != count && std::chrono::steady_clock::now() < patience) {
      std::this_thread::sleep_for(10ms);
    }
    return keeper.problems();
  }

  test::TempFolder folder_;
  NoNetwork network_;
  Metrics metrics_;
};

TEST_F(KeptPolicies, TellWhichFileIsBrokenUntilItIsMended) {
  write("allow := true");
  auto const keeper = keep("file://" + folder_.file("fetch.rego"));
  EXPECT_TRUE(keeper->problems().empty());
  EXPECT_EQ(json::to_text(to_json(keeper->problems())), "{}");

  write("allow if hunter2 == input.x");
  auto const broken = problems(*keeper, 1);
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken[0].policy, "fetch.rego");
  EXPECT_THAT(broken[0].problem, StartsWith("fetch.rego:2:"));
  EXPECT_EQ(broken[0].in_force.size(), 12U);
  auto const shown = json::to_text(to_json(broken));
  EXPECT_THAT(shown, StartsWith(R"({"policies":[{"policy":"fetch.rego","problem":"fetch.rego:2:)"));
  EXPECT_THAT(shown, Not(HasSubstr("hunter2")));
  EXPECT_THAT(shown, Not(HasSubstr(folder_.path())));
  EXPECT_THAT(metrics_.render(), HasSubstr("sallyport_policies_broken 1"));

  write("allow := true");
  EXPECT_TRUE(problems(*keeper, 0).empty());
  EXPECT_THAT(metrics_.render(), HasSubstr("sallyport_policies_broken 0"));
}

TEST_F(KeptPolicies, TellThatAFileIsGoneWithoutItsFolder) {
  write("allow := true");
  auto const keeper = keep("file://" + folder_.file("fetch.rego"));

  std::filesystem::remove(folder_.file("fetch.rego"));
  auto const gone = problems(*keeper, 1);

  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(gone[0].problem, "fetch.rego: No such file or directory");
}

TEST_F(KeptPolicies, NameTheFileInAFolder) {
  write("allow := true", "a.rego");
  auto const keeper = keep("file://" + folder_.path() + "/");

  write("allow if", "b.rego");
  auto const broken = problems(*keeper, 1);

  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken[0].policy, std::filesystem::path{folder_.path()}.filename());
  EXPECT_THAT(broken[0].problem, StartsWith("b.rego:"));
}

}  // namespace
}  // namespace sallyport::app
