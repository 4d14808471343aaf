#include "src/policy/chain.hpp"

#include "src/policy/test_query.hpp"

#include "tests/support/run.hpp"

#include <gmock/gmock.h>

namespace sallyport::policy {
namespace {

using testing::ElementsAre;

// Says what it was told to, and counts how often.
class FixedSource final : public Source {
 public:
  FixedSource(std::string name, Judgement judgement, int* asked = nullptr)
      : name_{std::move(name)}, judgement_{std::move(judgement)}, asked_{asked} {}

  Task<Judgement> judge(Question /*question*/) override {
    if (asked_ != nullptr) ++*asked_;
    co_return judgement_;
  }
  std::string const& name() const noexcept override { return name_; }

 private:
  std::string name_;
  Judgement judgement_;
  int* asked_;
};

Judgement const kYes{.allowed = true};
Judgement const kNo{.allowed = false};
Judgement const kBroken{.allowed = false, .problem = "broken"};

Chain chain_of(ChainMode mode, std::vector<Judgement> judgements, int* asked = nullptr,
               std::string name = "fetch") {
  std::vector<Section> sections;
  auto& section =
      sections.emplace_back(Section{.name = std::move(name), .mode = mode, .sources = {}});
  for (std::size_t i = 0; i < judgements.size(); ++i) {
    section.sources.push_back(
        std::make_unique<FixedSource>("p" + std::to_string(i + 1), judgements[i], asked));
  }
  return Chain{std::move(sections)};
}

Decision decide(Chain chain, sallyport::policy::test::TestQuery const& query = {}) {
  return *sallyport::test::run(chain.decide(query.get()));
}

Decision decide_tool(Chain chain) {
  json::Object const arguments;
  RequestContext const request;
  return *sallyport::test::run(chain.decide(McpQuery{.purpose = "run_js",
                                                     .server = "sallyport",
                                                     .name = "fetch",
                                                     .arguments = &arguments,
                                                     .request = request}));
}

TEST(Chain, CallsOfToolsAreForTheirOwnSectionAlone) {
  EXPECT_TRUE(decide_tool(chain_of(ChainMode::All, {kYes}, nullptr, "mcp_tools")).allowed);
  EXPECT_FALSE(decide_tool(chain_of(ChainMode::All, {kNo}, nullptr, "mcp_tools")).allowed);
  EXPECT_TRUE(decide_tool(chain_of(ChainMode::Any, {kBroken, kYes}, nullptr, "mcp_tools")).allowed);
  // A request is not judged by it.
  EXPECT_TRUE(decide(chain_of(ChainMode::All, {kNo}, nullptr, "mcp_tools")).allowed);
}

TEST(Chain, NoToolIsCalledWithoutAPolicyForTools) {
  auto chain = chain_of(ChainMode::All, {kYes});
  EXPECT_FALSE(chain.judges_tools());

  auto const decision = decide_tool(std::move(chain));

  EXPECT_FALSE(decision.allowed);
  EXPECT_THAT(decision.reasons, ElementsAre("there is no policy in policies.mcp_tools"));
}

TEST(Chain, AllNeedsEveryYes) {
  EXPECT_TRUE(decide(chain_of(ChainMode::All, {kYes, kYes})).allowed);
  EXPECT_FALSE(decide(chain_of(ChainMode::All, {kYes, kNo})).allowed);
  EXPECT_FALSE(decide(chain_of(ChainMode::All, {kYes, kBroken})).allowed);
}

TEST(Chain, WhoAbstainsIsNotInTheChain) {
  Judgement const abstained{.abstained = true};
  for (auto const mode : {ChainMode::All, ChainMode::Any}) {
    EXPECT_TRUE(decide(chain_of(mode, {abstained})).allowed);
    EXPECT_TRUE(decide(chain_of(mode, {abstained, kYes})).allowed);
    EXPECT_FALSE(decide(chain_of(mode, {abstained, kNo})).allowed);
    EXPECT_FALSE(decide(chain_of(mode, {kNo, abstained})).allowed);
    EXPECT_FALSE(decide(chain_of(mode, {kBroken, abstained})).allowed);
  }
}

TEST(Chain, AllStopsAtTheFirstNo) {
  int asked = 0;

  EXPECT_FALSE(decide(chain_of(ChainMode::All, {kYes, kNo, kYes}, &asked)).allowed);

  EXPECT_EQ(asked, 2);
}

TEST(Chain, AnyNeedsOneYes) {
  EXPECT_TRUE(decide(chain_of(ChainMode::Any, {kNo, kYes})).allowed);
  EXPECT_FALSE(decide(chain_of(ChainMode::Any, {kNo, kNo})).allowed);
}

TEST(Chain, AnyIsNotSpoiltByASourceThatCannotJudge) {
  EXPECT_TRUE(decide(chain_of(ChainMode::Any, {kBroken, kYes})).allowed);
  EXPECT_FALSE(decide(chain_of(ChainMode::Any, {kBroken, kNo})).allowed);
}

TEST(Chain, GivesTheReasonsOfThoseWhoDecided) {
  Judgement const told{.allowed = false, .reasons = {"not on sundays"}};

  EXPECT_THAT(decide(chain_of(ChainMode::All, {kYes, told})).reasons,
              ElementsAre("not on sundays"));
  EXPECT_THAT(decide(chain_of(ChainMode::All, {kYes, kNo})).reasons,
              ElementsAre("p2 does not allow it"));
  EXPECT_THAT(decide(chain_of(ChainMode::Any, {kBroken, told})).reasons,
              ElementsAre("p1 could not judge", "not on sundays"));
  EXPECT_THAT(decide(chain_of(ChainMode::Any, {told, kYes})).reasons, ElementsAre("p2 allows it"));
}

TEST(Chain, NamesTheRevisionsThatWereAsked) {
  Judgement const first{.allowed = true, .revision = "a1"};
  Judgement const second{.allowed = true, .revision = "b2"};

  EXPECT_EQ(decide(chain_of(ChainMode::All, {first, kYes, second})).revision, "a1 b2");
}

TEST(Chain, JudgesEveryHttpRequestByTheSectionFetchAndOthersByTheirOwn) {
  EXPECT_FALSE(decide(chain_of(ChainMode::All, {kNo}), {.operation = "http_request"}).allowed);
  EXPECT_TRUE(decide(chain_of(ChainMode::All, {kNo}), {.operation = "websocket"}).allowed);
}

TEST(Chain, LeavesTheProgramsOwnRequestsAlone) {
  EXPECT_TRUE(decide(chain_of(ChainMode::All, {kNo}), {.named_by_settings = true}).allowed);
}

TEST(Both, AllowsWhatBothAllow) {
  auto yes = chain_of(ChainMode::All, {kYes});
  auto no = chain_of(ChainMode::All, {kNo});
  sallyport::policy::test::TestQuery const query;

  auto const decided = [&](Evaluator& first, Evaluator& second) {
    Both both{first, second};
    return *sallyport::test::run(both.decide(query.get()));
  };

  EXPECT_THAT(decided(yes, yes).reasons, ElementsAre("p1 allows it", "p1 allows it"));
  EXPECT_FALSE(decided(yes, no).allowed);
  EXPECT_THAT(decided(no, yes).reasons, ElementsAre("p1 does not allow it"));
}

}  // namespace
}  // namespace sallyport::policy
