#include "src/app/rego_tools/testing.hpp"
#include "src/json/parse.hpp"

#include <gmock/gmock.h>

namespace sallyport::app::rego_tools {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char const* kFetchPolicy = R"(package mcp.fetch

default allow := false

allow if {
	input.method == "GET"
	input.host in data.hosts
}
)";

struct FetchFolder : PolicyFolder {
  FetchFolder() {
    write("fetch.rego", kFetchPolicy);
    write("data.yaml", "hosts: [docs.example.com]\n");
    write("get.json", R"({"method": "GET", "host": "docs.example.com"})");
  }
  std::vector<std::string> eval(std::vector<std::string> more) const {
    std::vector<std::string> words{"eval", "-d", *this / "fetch.rego", "-d", *this / "data.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST(PolicyEval, GivesTheJsonOfOpa) {
  FetchFolder const folder;

  auto const came =
      policy_command(folder.eval({"-i", folder / "get.json", "data.mcp.fetch.allow"}));

  EXPECT_EQ(came.code, 0) << came.err;
  EXPECT_EQ(came.out, R"({
  "result": [
    {
      "expressions": [
        {
          "value": true,
          "text": "data.mcp.fetch.allow",
          "location": {
            "row": 1,
            "col": 1
          }
        }
      ]
    }
  ]
}
)");
}

TEST(PolicyEval, NamesVariablesAndEveryExpression) {
  auto const came = policy_command({"eval", "x := {1, 2}; count(x) == 2; y = {\"a\": []}"});

  EXPECT_EQ(came.code, 0) << came.out;
  auto const parsed = json::parse(came.out);
  ASSERT_TRUE(parsed) << came.out;
  auto const& answer = parsed->at("result").at(0);
  ASSERT_EQ(answer.at("expressions").as_array().size(), 3U);
  EXPECT_EQ(answer.at("expressions").at(1).at("text").as_string(), "count(x) == 2");
  EXPECT_EQ(answer.at("expressions").at(1).at("location").at("col").as_int64(), 14);
  EXPECT_EQ(answer.at("bindings").at("x").as_array().size(), 2U);
  EXPECT_THAT(came.out, HasSubstr("\"y\": {\n          \"a\": []\n        }"));
}

TEST(PolicyEval, UndefinedIsAnEmptyObjectAndMayBeAFailure) {
  EXPECT_EQ(policy_command({"eval", "false == true"}).code, 0);
  auto const undefined = policy_command({"eval", "data.nothing"});
  EXPECT_EQ(undefined.out, "{}\n");
  EXPECT_EQ(undefined.code, 0);
  EXPECT_EQ(policy_command({"eval", "--fail", "data.nothing"}).code, 1);
  EXPECT_EQ(policy_command({"eval", "--fail", "1"}).code, 0);
  EXPECT_EQ(policy_command({"eval", "--fail-defined", "1"}).code, 1);
  EXPECT_EQ(policy_command({"eval", "-f", "pretty", "data.nothing"}).out, "undefined\n");
}

TEST(PolicyEval, ErrorsAreJsonOrTextWithTheirPlace) {
  PolicyFolder const folder;
  auto const bad = folder.write("bad.rego", "package a\n\np if nope(1)\n");

  auto const json = policy_command({"eval", "-d", bad, "data.a.p"});
  auto const text = policy_command({"eval", "-d", bad, "--format", "pretty", "data.a.p"});
  auto const query = policy_command({"eval", "--format", "pretty", "1 +"});

  EXPECT_EQ(json.code, 2);
  auto const parsed = json::parse(json.out);
  ASSERT_TRUE(parsed) << json.out;
  auto const& error = parsed->at("errors").at(0);
  EXPECT_EQ(error.at("code").as_string(), "rego_type_error");
  EXPECT_EQ(error.at("location").at("file").as_string(), bad);
  EXPECT_EQ(error.at("location").at("row").as_int64(), 3);
  EXPECT_EQ(text.code, 2);
  EXPECT_EQ(text.out, "");
  EXPECT_THAT(text.err, AllOf(StartsWith("1 error occurred: " + bad + ":3:6: rego_type_error"),
                              HasSubstr("\np if nope(1)\n     ^\n")));
  EXPECT_EQ(query.code, 2);
  EXPECT_THAT(query.err, AllOf(HasSubstr("rego_parse_error"), HasSubstr("\n1 +\n")));
}

TEST(PolicyEval, ErrorsOfTheEvaluationAreTold) {
  PolicyFolder const folder;
  auto const two = folder.write("two.rego", "package a\n\np := 1 if input.x\np := 2 if input.x\n");
  auto const input = folder.write("input.json", R"({"x": 1})");

  auto const conflict = policy_command({"eval", "-d", two, "-i", input, "data.a.p"});
  auto const loose = policy_command({"eval", "1 / 0"});
  auto const strict = policy_command({"eval", "--strict-builtin-errors", "1 / 0"});

  EXPECT_EQ(conflict.code, 2);
  EXPECT_THAT(conflict.out, HasSubstr("eval_conflict_error"));
  EXPECT_EQ(loose.out, "{}\n");
  EXPECT_THAT(loose.err, AllOf(StartsWith("note: "), HasSubstr("divide by zero")));
  EXPECT_EQ(strict.code, 2);
  EXPECT_THAT(strict.out, HasSubstr("eval_builtin_error"));
}

TEST(PolicyEval, EndsARunawayPolicy) {
  auto const came = policy_command(
      {"eval", "--timeout", "50ms", "n := numbers.range(1, 3000); n[_] * n[_] * n[_] == -1"});

  EXPECT_EQ(came.code, 2);
  EXPECT_THAT(came.out, HasSubstr("eval_cancel_error"));
}

TEST(PolicyEval, PrettyIsAValueOrATable) {
  auto const value = policy_command({"eval", "-f", "pretty", R"({"a": [1]})"});
  auto const table =
      policy_command({"eval", "-f", "pretty", R"(some name, age in {"ann": 7, "bo": 11})"});

  EXPECT_EQ(value.out, "{\n  \"a\": [\n    1\n  ]\n}\n");
  EXPECT_EQ(table.out, R"(+-----+-------+
| age | name  |
+-----+-------+
| 7   | "ann" |
| 11  | "bo"  |
+-----+-------+
)");
}

TEST(PolicyEval, RawAndBindingsAreForScripts) {
  EXPECT_EQ(policy_command({"eval", "-f", "raw", R"(x := ["a", "b"][_]; upper(x))"}).out,
            "true A\ntrue B\n");
  EXPECT_EQ(policy_command({"eval", "-f", "raw", R"(["a", 1])"}).out, "[\"a\",1]\n");
  EXPECT_EQ(policy_command({"eval", "-f", "bindings", "x := 1"}).out, "{\n  \"x\": 1\n}\n");
}

TEST(PolicyEval, ExplainsWhatFailed) {
  FetchFolder const folder;
  auto const input = folder.write("post.json", R"({"method": "POST"})");

  auto const fails = policy_command(folder.eval(
      {"-i", input, "--format", "pretty", "--explain", "fails", "data.mcp.fetch.allow"}));
  auto const full = policy_command(folder.eval(
      {"-i", input, "--format", "pretty", "--explain", "full", "data.mcp.fetch.allow"}));

  EXPECT_EQ(fails.code, 0);
  EXPECT_THAT(fails.out, AllOf(HasSubstr("Enter data.mcp.fetch.allow"),
                               ContainsRegex("fetch.rego:6 .*Fail input.method == \"GET\""),
                               Not(HasSubstr("Exit")), HasSubstr("\nfalse\n")));
  EXPECT_GT(full.out.size(), fails.out.size());
}

TEST(PolicyEval, ShowsWhatThePolicySays) {
  PolicyFolder const folder;
  auto const file =
      folder.write("say.rego", "package a\n\np if {\n\tprint(\"x is\", 1)\n\ttrace(\"here\")\n}\n");

  auto const notes =
      policy_command({"eval", "-d", file, "--explain", "notes", "-f", "pretty", "data.a.p"});

  EXPECT_EQ(notes.err, "x is 1\n");
  EXPECT_THAT(notes.out, AllOf(HasSubstr("Enter data.a.p"), HasSubstr("Note \"here\""),
                               Not(HasSubstr("Eval"))));
}

TEST(PolicyEval, CountsTheLinesThatWereEvaluated) {
  FetchFolder const folder;
  auto const input = folder.write("post.json", R"({"method": "POST"})");

  auto const came =
      policy_command(folder.eval({"-i", input, "--coverage", "data.mcp.fetch.allow"}));

  auto const parsed = json::parse(came.out);
  ASSERT_TRUE(parsed) << came.out;
  auto const& file = parsed->at("coverage").at("files").at(folder / "fetch.rego");
  EXPECT_GT(file.at("covered_lines").as_int64(), 0);
  EXPECT_GT(file.at("not_covered_lines").as_int64(), 0);
  EXPECT_EQ(parsed->at("result").as_array().size(), 1U);
}

TEST(PolicyEval, ReadsOldRegoWhenAsked) {
  PolicyFolder const folder;
  auto const old = folder.write("old.rego", "package a\n\np { input.x == 1 }\n");
  auto const input = folder.write("input.yaml", "x: 1\n");

  EXPECT_EQ(policy_command({"eval", "-d", old, "-i", input, "data.a.p"}).code, 2);
  auto const came =
      policy_command({"eval", "--v0-compatible", "-f", "raw", "-d", old, "-i", input, "data.a.p"});
  EXPECT_EQ(came.out, "true\n") << came.err;
}

TEST(PolicyEval, DataHasTheShapeOfTheFolders) {
  PolicyFolder const folder;
  folder.write("root.json", R"({"a": {"x": 1}})");
  folder.write("a/more.yaml", "y: 2\n");
  folder.write("a/b/deep.yml", "z: 3\n");
  folder.write("a/notes.txt", "not read");

  auto const all = policy_command({"eval", "-d", folder.path(), "-f", "raw", "data"});
  auto const placed =
      policy_command({"eval", "-d", "p.q:" + folder / "a/more.yaml", "-f", "raw", "data"});

  EXPECT_EQ(all.out, "{\"a\":{\"b\":{\"z\":3},\"x\":1,\"y\":2}}\n") << all.err;
  EXPECT_EQ(placed.out, "{\"p\":{\"q\":{\"y\":2}}}\n") << placed.err;
}

TEST(PolicyEval, SaysWhichFileIsWrongAndWhy) {
  PolicyFolder const folder;
  auto const one = folder.write("one.json", R"({"a": {"b": 1}})");
  auto const two = folder.write("two.json", R"({"a": {"b": 2}})");
  auto const list = folder.write("list.json", "[]");
  auto const broken = folder.write("broken.json", "{\n\"a\": }");
  auto const text = folder.write("a.txt", "");
  struct Case {
    std::vector<std::string> words;
    std::string message;
  };
  for (auto const& [words, message] : {
           Case{{"-d", one, "-d", two}, two + ": data.a.b is already defined by another file"},
           Case{{"-d", list}, list + ": data must be an object; this is of type array"},
           Case{{"-d", broken}, broken + ": "},
           Case{{"-d", text}, text + ": must end in .rego, .json, .yaml or .yml"},
           Case{{"-d", folder / "none"}, folder / "none" + ": no such file or folder"},
           Case{{"-i", folder / "none"}, folder / "none" + ": No such file or directory"},
           Case{{"-i", folder.path()}, folder.path() + ": is a folder"},
           Case{{"--timeout", "soon"}, "--timeout: "},
       }) {
    std::vector<std::string> all{"eval", "-f", "pretty", "1"};
    all.insert(all.end(), words.begin(), words.end());
    auto const came = policy_command(all);
    EXPECT_EQ(came.code, 2);
    EXPECT_THAT(came.err, StartsWith("1 error occurred: " + message));
  }
  EXPECT_EQ(policy_command({"eval"}).code, kUsageError);
  EXPECT_EQ(policy_command({"eval", "--format", "xml", "1"}).code, kUsageError);
}

}  // namespace
}  // namespace sallyport::app::rego_tools
