#include "src/rego/build.hpp"
#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

std::string render(std::string_view text, std::string_view data) {
  test::BuiltinBench bench{Limits{.steps = 100'000}};
  Value const operands[] = {Value::string(text), bench.parse(data)};
  auto const value = bench.call("strings.render_template", operands);
  return value.is(Kind::String) ? std::string{value.as_string()} : "error: " + bench.message;
}

TEST(TemplateStrings, JoinTheirParts) {
  test::BuiltinBench bench;
  SetBuilder none{bench.arena};
  SetBuilder one{bench.arena};
  one.add(bench.parse(R"(["a", {"b": 1}])"));
  Value const parts[] = {Value::string("x "), none.finish(),         Value::string(" y "),
                         one.finish(),        Value::integer(42),    Value::boolean(true),
                         Value::null(),       bench.parse(R"(1.50)")};
  Value const operand = Value::array(parts);

  auto const text = bench.call("internal.template_string", {&operand, 1});

  EXPECT_EQ(text.as_string(), R"(x <undefined> y ["a", {"b": 1}]42truenull1.50)");
}

TEST(RenderTemplate, FollowsGosTemplates) {
  struct {
    std::string_view text;
    std::string_view data;
    std::string_view answer;
  } const cases[] = {
      {"{{.test}}", R"({"test": "hello world"})", "hello world"},
      {"{{.test}}", R"({"test": 2023})", "2023"},
      {"{{range $i, $name := .n}}{{if $i}},{{end}}hello {{$name}}{{end}}", R"({"n": ["a", "b"]})",
       "hello a,hello b"},
      {"test {{.foo}} {{.bar}} {{.baz}}", R"({"baz": 1})", "test <undefined> <undefined> 1"},
      {"{{.a.b.c}}|{{.a.x}}", R"({"a": {"b": {"c": true}}})", "true|<undefined>"},
      {"{{if .a}}A{{else if .b}}B{{else}}C{{end}}", R"({"a": "", "b": "x"})", "B"},
      {"{{with .a}}{{.b}}{{else}}none{{end}}", R"({"a": {"b": 1.5}})", "1.5"},
      {"{{range .x}}{{.}};{{else}}empty{{end}}", R"({"x": []})", "empty"},
      {"{{range $k, $v := .m}}{{$k}}={{$v}} {{end}}", R"({"m": {"b": 1, "a": 2}})", "a=2 b=1 "},
      {"{{range .x}}{{if eq . \"b\"}}{{continue}}{{end}}{{if eq . "
       "\"d\"}}{{break}}{{end}}{{.}}{{end}}",
       R"({"x": ["a", "b", "c", "d", "e"]})", "ac"},
      {"a {{- .x -}} b", R"({"x": 1})", "a1b"},
      {"a{{/* no */}}b", "{}", "ab"},
      {"{{$x := .a}}{{$x = \"n\"}}{{$x}}", R"({"a": 1})", "n"},
      {"{{printf \"%s-%d\" .s 5}} {{.s | printf \"%q\"}}", R"({"s": "x"})", "x-5 \"x\""},
      {"{{len .l}} {{index .l 1}} {{index .m \"k\"}} {{slice .s 1 2}}",
       R"({"l": [1, 2], "m": {"k": "v"}, "s": "abc"})", "2 2 v b"},
      {"{{and .a .b}} {{or .z .a}} {{not .z}}", R"({"a": "x", "b": "y"})", "y x true"},
      {"{{eq .a \"x\" \"y\"}} {{ne 1 2}} {{lt 1 2}} {{ge 1.5 1.5}}", R"({"a": "y"})",
       "true true true true"},
      {"{{html .h}} {{js .h}} {{urlquery .h}}", R"({"h": "<a b>"})",
       "&lt;a b&gt; \\u003Ca b\\u003E %3Ca+b%3E"},
      {"{{print .l}} {{.m}}", R"({"l": [1, null, "x"], "m": {"b": [], "a": "y"}})",
       "[1 <nil> x] map[a:y b:[]]"},
      {"{{define \"t\"}}<{{.}}>{{end}}{{template \"t\" .a}}{{template \"t\" \"x\"}}", R"({"a": 1})",
       "<1><x>"},
      {"{{block \"b\" .a}}[{{.}}]{{end}}", R"({"a": 1})", "[1]"},
      {"{{(index .l 0).x}}", R"({"l": [{"x": 7}]})", "7"},
      {"{{range 3}}{{.}}{{end}}", "{}", "012"},
      {"{{$.a}}{{with .b}}{{$.a}}{{end}}", R"({"a": 1, "b": 2})", "11"},
      {"{{\"q\\n\"}}{{`r`}}{{'x'}}{{1.5}}{{true}}", "{}", "q\nr1201.5true"},
  };
  for (auto const& [text, data, answer] : cases) EXPECT_EQ(render(text, data), answer) << text;
}

TEST(RenderTemplate, SaysWhatIsWrong) {
  struct {
    std::string_view text;
    std::string_view answer;
  } const cases[] = {
      {"{{.a", "error: template: template:1: unclosed action"},
      {"{{foo}}", "error: template: template:1: function \"foo\" not defined"},
      {"{{if .a}}", "error: template: template:1: unexpected EOF"},
      {"x\n{{end}}", "error: template: template:2: unexpected {{end}}"},
      {"{{}}", "error: template: template:1: missing value for command"},
      {"{{break}}", "error: template: template:1: {{break}} outside {{range}}"},
      {"{{.s.x}}",
       "error: template: template:1: executing \"template\": can't evaluate field x in type "
       "string"},
      {"{{eq .n 1}}",
       "error: template: template:1: executing \"template\": error calling eq: incompatible types "
       "for comparison"},
      {"{{index .l 9}}",
       "error: template: template:1: executing \"template\": error calling index: index out of "
       "range: 9"},
      {"{{range .s}}{{end}}",
       "error: template: template:1: executing \"template\": range can't iterate over string"},
      {"{{define \"t\"}}{{template \"t\"}}{{end}}{{template \"t\"}}",
       "error: template: template:1: executing \"template\": exceeded maximum template depth"},
  };
  for (auto const& [text, answer] : cases) {
    EXPECT_EQ(render(text, R"({"s": "x", "n": 1, "l": [1]})"), answer) << text;
  }
}

TEST(RenderTemplate, StopsWhatNeverEnds) {
  EXPECT_EQ(render("{{range 1000000000}}{{range 1000000000}}{{end}}x{{end}}", "{}"),
            "error: the evaluation has used up its budget");
}

}  // namespace
}  // namespace sallyport::rego
