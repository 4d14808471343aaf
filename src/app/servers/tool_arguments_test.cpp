#include "src/app/servers/tool_arguments.hpp"

#include "src/json/parse.hpp"
#include "src/json/write.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::app::servers {
namespace {

using testing::HasSubstr;

json::Object schema() {
  return json::parse(R"({"properties": {"text": {"type": "string"}, "count": {"type": "integer"},
    "maybe": {"type": ["string", "null"]}, "deep": {"type": "object", "properties":
    {"text": {"type": "string"}, "on": {"type": "boolean"}}}, "a.b": {"type": "string"}}})")
      ->get_object();
}

std::string made(std::string const& whole, std::vector<std::string> const& pairs) {
  auto const arguments = tool_arguments(whole, pairs, schema());
  return arguments ? json::to_text(*arguments) : arguments.error().message;
}

TEST(ToolArguments, AreWhatTheSchemaSaysOfThem) {
  EXPECT_EQ(made("", {"text=5", "count=5"}), R"({"text":"5","count":5})");
  EXPECT_EQ(made("", {"text=a=b", "maybe=null", "other=hello", "more=[1]"}),
            R"({"text":"a=b","maybe":null,"other":"hello","more":[1]})");
  EXPECT_EQ(made("", {"maybe=x", "text="}), R"({"maybe":"x","text":""})");
}

TEST(ToolArguments, ReachIntoObjects) {
  EXPECT_EQ(made("", {"deep.text=5", "deep.on=true"}), R"({"deep":{"text":"5","on":true}})");
  EXPECT_EQ(made("", {"a.b=5"}), R"({"a.b":"5"})");
  EXPECT_THAT(made("", {"text=x", "text.y=1"}), HasSubstr("text is no object"));
}

TEST(ToolArguments, GoOnTopOfAWholeObject) {
  EXPECT_EQ(made(R"({"text": "a", "count": 1})", {"count=2"}), R"({"text":"a","count":2})");
}

TEST(ToolArguments, SayWhatIsWrong) {
  EXPECT_THAT(made("", {"count=many"}), HasSubstr("--arg count: the tool wants JSON here"));
  EXPECT_EQ(made("", {"nothing"}), "--arg nothing: write it as name=value");
  EXPECT_EQ(made("", {"=x"}), "--arg =x: write it as name=value");
  EXPECT_EQ(made("[]", {}), "--json: must be an object");
  EXPECT_THAT(made("{", {}), HasSubstr("--json: "));
}

}  // namespace
}  // namespace sallyport::app::servers
