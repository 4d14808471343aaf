// What a child has given up, as the kernel tells it.
#include "tests/js/sandbox_fixture.hpp"
#include "tests/support/not_tested.hpp"

#include <sys/resource.h>

namespace sallyport::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A child that waits for an answer.
class JsConfinement : public SandboxTest {
 protected:
  void SetUp() override {
    SandboxTest::SetUp();
    peer_.emplace(sandbox().fork({.heap_mb = 64, .data_mb = 128, .cpu_ms = 500, .total_cpu_s = 7}));
    peer_->run({.code = "await call('never')"});
    ASSERT_TRUE(peer_->next());
    auto const children = confined_children_of(forking(sandbox()));
    ASSERT_EQ(children.size(), 1);
    child_ = children.front();
  }
  void TearDown() override {
    peer_.reset();
    sandbox().message();
  }
  std::string limit_of(std::string_view name) const {
    std::istringstream lines{proc_text(child_, "limits")};
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(name)) continue;
      std::istringstream rest{line.substr(name.size())};
      std::string soft;
      std::string hard;
      rest >> soft >> hard;
      return soft == hard ? soft : soft + " but " + hard;
    }
    return "(none)";
  }

  std::optional<RunPeer> peer_;
  pid_t child_{0};
};

TEST_F(JsConfinement, FiltersSystemCalls) {
  EXPECT_EQ(status_of(child_, "Seccomp"), "2");
  EXPECT_EQ(status_of(child_, "Seccomp_filters"), "1");
}

TEST_F(JsConfinement, GainsNothingByStartingAProgram) {
  EXPECT_EQ(status_of(child_, "NoNewPrivs"), "1");
  EXPECT_EQ(status_of(child_, "CapEff"), "0000000000000000");
  EXPECT_EQ(status_of(child_, "CapPrm"), "0000000000000000");
}

TEST_F(JsConfinement, HasOneDescriptor) {
  EXPECT_THAT(descriptors_of(child_), ElementsAre(StartsWith("socket:[")));
}

TEST_F(JsConfinement, HasOneThread) {
  EXPECT_EQ(status_of(child_, "Threads"), "1");
}

TEST_F(JsConfinement, HasLimits) {
  EXPECT_EQ(limit_of("Max core file size"), "0");
  EXPECT_EQ(limit_of("Max file size"), "0");
  EXPECT_EQ(limit_of("Max open files"), "1");
  EXPECT_EQ(limit_of("Max cpu time"), "7");
  auto const data = std::stoul("0" + limit_of("Max data size"));
  EXPECT_GT(data, 128UL << 20U);
  EXPECT_LT(data, (128UL + 128) << 20U) << "what the warm process has is little";
}

TEST_F(JsConfinement, HasNothingOfTheGatewaysEnvironment) {
  auto const environment = proc_text(child_, "environ");

  EXPECT_FALSE(environment.empty()) << "it cannot be read";
  EXPECT_THAT(environment, Not(HasSubstr("do-not-inherit")));
  EXPECT_EQ(run("return typeof process + typeof environ + typeof require").value(),
            R"("undefinedundefinedundefined")");
}

TEST_F(JsConfinement, HasNoNetworkAndSeesNoProcesses) {
  auto const& namespaces = sandbox().ready().at("namespaces").as_string();
  if (namespaces.empty())
    SP_NOT_TESTED("this machine allows no namespaces (user.max_user_namespaces)");
  for (auto const* const kind : {"net", "pid", "ipc"}) {
    std::error_code error;
    auto const link = [&](pid_t process) {
      return std::filesystem::read_symlink(proc_path(process, std::string{"ns/"} + kind), error);
    };
    EXPECT_NE(link(child_), link(::getpid())) << kind << error.message();
  }
  EXPECT_THAT(status_of(child_, "NSpid"), HasSubstr("\t"));
}

}  // namespace
}  // namespace sallyport::test
