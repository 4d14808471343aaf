#include "src/upstream/catalog/definitions.hpp"

#include "src/mcp/codec.hpp"
#include "src/mcp/registry.hpp"

#include "tests/support/json_text.hpp"

#include <boost/json/monotonic_resource.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::upstream {
namespace {

using test::parsed;
using testing::HasSubstr;

json::Array list_of(std::string_view text) {
  return parsed(text).get_array();
}

// As the newest revision shows what was taken.
template <class Entry>
json::Array shown(Taken<Entry> const& taken, json::Object (*encode)(Entry const&, mcp::Revision)) {
  json::Array all;
  for (auto const& each : taken.entries) all.push_back(encode(each, mcp::kLatestLegacy));
  return all;
}

TEST(TakeTools, KeepsEverythingThatARegistryCanShow) {
  auto const given = list_of(R"([{
      "name":"get-weather","title":"Weather","description":"How it is.",
      "icons":[{"src":"https://x.example/i.png","mimeType":"image/png","sizes":["48x48"]}],
      "inputSchema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],
                     "$defs":{"x":{}},"x-unknown":1},
      "outputSchema":{"type":"object","properties":{"t":{"type":"number"}}},
      "annotations":{"title":"W","readOnlyHint":true,"x-own":[1]},
      "execution":{"taskSupport":"optional"},
      "_meta":{"ui":{"resourceUri":"ui://s/p"},"x":null}}])");

  auto const taken = take_tools(given);

  EXPECT_TRUE(taken.dropped.empty());
  EXPECT_EQ(shown(taken, mcp::codec::tool), given);
  EXPECT_TRUE(taken.entries.at(0).foreign);
}

TEST(DropRepeated, KeepsTheFirstOfEachNameAndWhatHasNone) {
  std::vector<json::Object> definitions;
  for (auto const& each : list_of(R"([{"name":"a","n":1},{"name":"b"},{"name":"a","n":2},{},{},
                                      {"name":7},{"name":"a","n":3}])")) {
    definitions.push_back(each.get_object());
  }

  auto const dropped = drop_repeated(definitions);

  EXPECT_EQ(json::Value(json::Array(definitions.begin(), definitions.end())),
            parsed(R"([{"name":"a","n":1},{"name":"b"},{},{},{"name":7}])"));
  ASSERT_EQ(dropped.size(), 2U);
  EXPECT_EQ(dropped[0].name, "a");
  EXPECT_THAT(dropped[0].reason, HasSubstr("already"));
}

TEST(TakeTools, LeavesOutMembersOfTheWrongType) {
  auto const taken = take_tools(list_of(R"([{
      "name":"a","title":7,"description":["x"],"icons":[1,{"src":"javascript:alert"},{},
        {"src":"DATA:image/png;base64,","sizes":"48x48","theme":1}],
      "inputSchema":{"type":["object","null"],"properties":{"x":true,"y":false,"z":3},
                     "required":"x"},
      "outputSchema":"none","annotations":{"readOnlyHint":"yes","title":{}},
      "execution":[],"_meta":"m"
}])"));

  EXPECT_EQ(shown(taken, mcp::codec::tool), list_of(R"([{
      "name":"a","icons":[{"src":"DATA:image/png;base64,"}],
      "inputSchema":{"type":"object","properties":{"x":{},"y":{"not":{}},"z":{}}}}])"));
}

struct Unusable {
  char const* definition;
  char const* name;
  char const* reason;
};

class UnusableToolTest : public testing::TestWithParam<Unusable> {};

TEST_P(UnusableToolTest, IsDroppedWithAReasonAndNoOtherWithIt) {
  auto const taken = take_tools(list_of(fmt::format(
      R"([{{"name":"good","inputSchema":{{}}}},{},{{"name":"too","inputSchema":{{}}}}])",
      GetParam().definition)));

  ASSERT_EQ(taken.entries.size(), 2U);
  ASSERT_EQ(taken.dropped.size(), 1U);
  EXPECT_EQ(taken.dropped[0].name, GetParam().name);
  EXPECT_THAT(taken.dropped[0].reason, HasSubstr(GetParam().reason));
}

INSTANTIATE_TEST_SUITE_P(
    TakeTools, UnusableToolTest,
    testing::Values(
        Unusable{"7", "#1", "not an object"}, Unusable{"null", "#1", "not an object"},
        Unusable{R"({"inputSchema":{}})", "#1", "no name"},
        Unusable{R"({"name":"","inputSchema":{}})", "#1", "no name"},
        Unusable{R"({"name":{},"inputSchema":{}})", "#1", "no name"},
        Unusable{R"({"name":"a\nb","inputSchema":{}})", "a?b", "control characters"},
        Unusable{R"({"name":"a"})", "a", "no inputSchema"},
        Unusable{R"({"name":"a","inputSchema":[]})", "a", "no inputSchema"},
        Unusable{R"({"name":"a","inputSchema":{"type":"string"}})", "a", "not describe an object"},
        Unusable{R"({"name":"a","inputSchema":{"type":7}})", "a", "not describe an object"},
        Unusable{R"({"name":"good","inputSchema":{}})", "good", "already"},
        Unusable{R"({"name":"a","inputSchema":{"properties":
                     {"x":{"type":"number","x-mcp-header":"X"}}}})",
                 "a", "mirrored"}));

TEST(TakeTools, DropsWhatIsTooLargeOrTooMuch) {
  json::Array given;
  given.push_back(json::Object{{"name", "large"},
                               {"description", std::string(300'000, 'x')},
                               {"inputSchema", json::Object{}}});
  given.push_back(json::Object{{"name", std::string(2000, 'n')}, {"inputSchema", json::Object{}}});
  for (int i = 0; i < 9; ++i) {
    given.push_back(json::Object{{"name", fmt::format("t{}", i)}, {"inputSchema", json::Object{}}});
  }

  auto const taken = take_tools(given, {.entries = 5});

  EXPECT_EQ(taken.entries.size(), 5U);
  ASSERT_EQ(taken.dropped.size(), 3U);
  EXPECT_THAT(taken.dropped[0].reason, HasSubstr("larger than 256 KiB"));
  EXPECT_THAT(taken.dropped[1].reason, HasSubstr("2000 bytes"));
  EXPECT_EQ(taken.dropped[1].name, std::string(100, 'n') + "...");
  EXPECT_THAT(taken.dropped[2].reason, HasSubstr("more than 5"));
}

// SECURITY: a request's storage is of one loop, and a registry of all.
TEST(TakeTools, KeepsNothingInTheStorageOfTheList) {
  boost::json::monotonic_resource pool;
  auto const list = json::parse(R"([{"name":"a","inputSchema":{"properties":{"x":{}}},
      "outputSchema":{"type":"array"},"annotations":{"title":"t"},"_meta":{"k":{}},
      "icons":[{"src":"https://x.example/"}]}])",
                                &pool)
                        .value();
  auto const taken = take_tools(list.get_array());

  auto const& tool = taken.entries.at(0);
  json::Storage const own;
  EXPECT_EQ(*tool.input_schema.at("properties").storage(), *own);
  EXPECT_EQ(*tool.output_schema->storage(), *own);
  EXPECT_EQ(*tool.annotations.storage(), *own);
  EXPECT_EQ(*tool.meta.at("k").storage(), *own);
  EXPECT_EQ(*tool.icons.at(0).storage(), *own);
}

TEST(TakeTools, GivesWhatARegistryTakes) {
  auto taken = take_tools(list_of(R"([
      {"name":"a","inputSchema":{"$ref":"https://elsewhere.example/","properties":[]}},
      {"name":"b","inputSchema":{"properties":{"x":{"type":"nonsense"}}},"outputSchema":{"type":1}}])"));
  mcp::Registry::Builder builder;
  for (auto& tool : taken.entries) builder.add(std::move(tool));

  EXPECT_TRUE(builder.build());
}

TEST(TakeResources, KeepsWhatIsKnownAndDropsWhatHasNoUri) {
  auto const taken = take_resources(list_of(R"([
      {"uri":"mcp://s/a:b","name":"n","title":"t","description":"d","mimeType":"text/plain",
       "size":7,"annotations":{"audience":["user"],"priority":0.5},"_meta":{"k":1}},
      {"uri":"mcp://s/a:c","size":-1,"annotations":{"audience":["x"],"priority":7}},
      {"name":"n"},{"uri":"mcp://s/a:b","name":"again"}])"));

  EXPECT_EQ(shown(taken, mcp::codec::resource), list_of(R"([
      {"uri":"mcp://s/a:b","name":"n","title":"t","description":"d","mimeType":"text/plain",
       "size":7,"annotations":{"audience":["user"],"priority":0.5},"_meta":{"k":1}},
      {"uri":"mcp://s/a:c","name":"mcp://s/a:c"}])"));
  EXPECT_EQ(taken.dropped.size(), 2U);
}

TEST(TakeTemplates, KeepsWhatIsKnown) {
  auto const given = list_of(
      R"([{"uriTemplate":"mcp://s/a:{b}","name":"n","title":"t","mimeType":"text/plain"}])");

  EXPECT_EQ(shown(take_templates(given), mcp::codec::resource_template), given);
}

TEST(TakePrompts, KeepsArgumentsThatHaveAName) {
  auto const taken = take_prompts(list_of(R"([
      {"name":"p","title":"t","arguments":[{"name":"a","required":true,"description":"d"},
         {"name":"b","required":"yes"},{},3,{"name":1}]},
      {"title":"no name"},{"name":"q","arguments":{}}])"));

  EXPECT_EQ(shown(taken, mcp::codec::prompt), list_of(R"([
      {"name":"p","title":"t","arguments":[{"name":"a","required":true,"description":"d"},
         {"name":"b"}]},{"name":"q"}])"));
  ASSERT_EQ(taken.dropped.size(), 1U);
  EXPECT_EQ(taken.dropped[0].name, "#1");
}

TEST(PrintableName, CutsBetweenCharacters) {
  std::string const name = std::string(99, 'x') + "\xC3\xA9" + "y";

  EXPECT_EQ(printable_name(name), std::string(99, 'x') + "...");
  EXPECT_EQ(printable_name("a\x1b[2Jb"), "a?[2Jb");
}

}  // namespace
}  // namespace sallyport::upstream
