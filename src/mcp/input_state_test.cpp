#include "src/mcp/input_state.hpp"

#include "tests/support/json_text.hpp"
#include "tests/support/mcp_bench.hpp"

#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using namespace std::chrono_literals;
using test::parsed_object;

constexpr auto kParams = R"({"name":"t","arguments":{"a":1,"b":2}})";

class InputStateTest : public testing::Test {
 protected:
  std::string sealed(std::string const& binding) const {
    return seal_rounds(sealer_, binding,
                       {.answers = {{"k", parsed_object(R"({"action":"accept"})")}},
                        .kept = json::Object{{"call", "7"}}},
                       now_ + 600s);
  }
  bool opens(std::string const& text, std::string const& binding,
             std::chrono::seconds later = 0s) const {
    return open_rounds(sealer_, binding, text, now_ + later).has_value();
  }

  test::PlainSealer sealer_;
  WallClock::time_point now_{1'800'000'000s};
  std::string binding_{input_binding("alice", "tools/call", parsed_object(kParams))};
};

TEST_F(InputStateTest, GivesBackTheAnswersThatWereSealed) {
  auto const opened = open_rounds(sealer_, binding_, sealed(binding_), now_);

  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->answers.at("k"), parsed_object(R"({"action":"accept"})"));
  EXPECT_EQ(opened->kept, parsed_object(R"({"call":"7"})"));
}

TEST_F(InputStateTest, IsRefusedOnceItHasExpired) {
  EXPECT_TRUE(opens(sealed(binding_), binding_, 600s));
  EXPECT_FALSE(opens(sealed(binding_), binding_, 601s));
}

TEST_F(InputStateTest, IsRefusedWhenItWasChanged) {
  for (auto const& text : {std::string{}, std::string{"x"}, "x" + sealed(binding_)}) {
    EXPECT_FALSE(opens(text, binding_)) << text;
  }
}

TEST_F(InputStateTest, IsBoundToPrincipalMethodAndParameters) {
  auto const params = parsed_object(kParams);
  auto other_name = params;
  other_name["name"] = "u";
  auto other_arguments = params;
  other_arguments["arguments"] = json::Object{{"a", 1}};
  std::string const others[] = {input_binding("mallory", "tools/call", params),
                                input_binding("alice", "prompts/get", params),
                                input_binding("alice", "tools/call", other_name),
                                input_binding("alice", "tools/call", other_arguments),
                                input_binding("alice", "tools/call", {})};

  for (auto const& other : others) EXPECT_FALSE(opens(sealed(binding_), other)) << other;
}

TEST_F(InputStateTest, IsNotBoundToWhatChangesFromRoundToRound) {
  auto const next = parsed_object(R"({"arguments":{"b":2,"a":1},"name":"t","_meta":{"x":1},
                                      "inputResponses":{"k":{}},"requestState":"s"})");

  EXPECT_EQ(input_binding("alice", "tools/call", next), binding_);
}

TEST(CheckAnswer, AcceptsWhatAnswersTheQuestion) {
  auto const form = elicit_form(
      "m",
      parsed_object(R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})"));
  InputRequest const url{InputKind::UrlElicitation, {}};
  InputRequest const tools{InputKind::SamplingWithTools, {}};
  struct Row {
    InputRequest const& request;
    char const* response;
    bool fits;
  };
  auto const sample = sample_text("p", 10);
  auto const roots = list_roots();
  Row const rows[] = {
      {form, R"({"action":"accept","content":{"n":1}})", true},
      {form, R"({"action":"decline"})", true},
      {form, R"({"action":"cancel"})", true},
      {form, R"({"action":"accept"})", false},
      {form, R"({"action":"accept","content":[]})", false},
      {form, R"({"action":"accept","content":{}})", false},
      {form, R"({"action":"accept","content":{"n":"one"}})", false},
      {form, R"({"action":"maybe"})", false},
      {form, R"({"action":1})", false},
      {form, "{}", false},
      {url, R"({"action":"accept"})", true},
      {url, R"({"action":"agree"})", false},
      {sample, R"({"role":"assistant","content":{"type":"text","text":"t"},"model":"m"})", true},
      {sample, R"({"role":"assistant"})", false},
      {sample, R"({"content":{}})", false},
      {tools, R"({"role":"assistant","content":[]})", true},
      {roots, R"({"roots":[]})", true},
      {roots, R"({"roots":{}})", false},
      {roots, "{}", false},
  };

  for (auto const& row : rows) {
    auto const checked = check_answer("key", row.request, parsed_object(row.response));
    EXPECT_EQ(checked.has_value(), row.fits) << row.response;
    if (!checked) EXPECT_NE(checked.error().message.find("inputResponses.key"), std::string::npos);
  }
}

}  // namespace
}  // namespace sallyport::mcp
