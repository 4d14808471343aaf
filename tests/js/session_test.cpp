// Several runs of one child: what stays, and what nobody else sees.
#include "tests/js/sandbox_fixture.hpp"

namespace sallyport::test {
namespace {

using ::testing::HasSubstr;

class JsSession : public SandboxTest {};

TEST_F(JsSession, KeepsItsNamesForTheNextRun) {
  auto peer = sandbox().fork();

  EXPECT_TRUE(peer.run_in_session("// keep a, f\nlet a = 1; function f() { return a }").is_done());
  EXPECT_EQ(peer.run_in_session("return [a, f()]").value(), "[1,1]");
  EXPECT_EQ(peer.run_in_session("// keep a\nconst a = 'again'; return 0").value(), "0");
  EXPECT_EQ(peer.run_in_session("return a").value(), R"("again")");
  EXPECT_EQ(peer.run_in_session("globalThis.b = 2; return 0").value(), "0");
  EXPECT_EQ(peer.run_to_end("return b").value(), "2");
  EXPECT_THAT(sandbox().message_text(), HasSubstr(R"("exit":0)"));
}

TEST_F(JsSession, KeepsWhatWasMadeBeforeAnError) {
  auto peer = sandbox().fork();

  EXPECT_EQ(peer.run_in_session("// keep a, b\nconst a = 1; foo(); const b = 2").message(),
            "foo is not defined");
  EXPECT_EQ(peer.run_in_session("return [typeof a, typeof b]").value(),
            R"(["number","undefined"])");
  peer.close();
  sandbox().message();
}

TEST_F(JsSession, SurvivesEveryKindOfError) {
  auto peer = sandbox().fork({.cpu_ms = 200});
  peer.run_in_session("globalThis.kept = 1");

  EXPECT_EQ(peer.run_in_session("let = = 1").error("name"), "SyntaxError");
  EXPECT_EQ(peer.run_in_session("throw 1").message(), "1");
  EXPECT_EQ(peer.run_in_session("import 'x'").error("name"), "TypeError");
  EXPECT_EQ(peer.run_in_session("for (;;) {}").limit(), "cpu");
  EXPECT_EQ(peer.run_in_session("for (;;) await null").limit(), "cpu");
  EXPECT_THAT(peer.run_in_session("await new Promise(() => {})").message(), HasSubstr("never"));
  EXPECT_EQ(peer.run_in_session("Promise.reject(new Error('lost'))").message(), "lost");
  EXPECT_EQ(peer.run_in_session("(function f() { f() })()").error("name"), "RangeError");
  EXPECT_EQ(peer.run_in_session("return kept").value(), "1");
  peer.close();
  sandbox().message();
}

TEST_F(JsSession, HasItsCpuTimeForEachRunAnew) {
  auto peer = sandbox().fork({.cpu_ms = 400});

  // Three times 200 ms of a clock that stands still while others have the processor.
  for (int i = 0; i < 3; ++i) {
    auto const answer = peer.run_in_session(
        "let n = 0; for (let i = 0; i < 2e7; ++i) n += Math.sqrt(i); return typeof n");
    EXPECT_EQ(answer.value(), R"("number")") << i << answer.raw_done;
  }
  EXPECT_EQ(peer.run_in_session("for (;;) {}").limit(), "cpu");
  EXPECT_EQ(peer.run_in_session("return 1").value(), "1");
  peer.close();
  sandbox().message();
}

TEST_F(JsSession, IgnoresLateAnswersOfTheRunBefore) {
  auto peer = sandbox().fork();
  peer.run({.code = "call('slow'); throw new Error('at once')", .session = true});
  EXPECT_EQ(peer.answer().message(), "at once");
  peer.send(js::FrameKind::Answer, 1, R"({"value":"late"})");

  EXPECT_EQ(peer.run_in_session("return 1").value(), "1");
  peer.close();
  sandbox().message();
}

// Everything a script can change, changed by one; the next child must not see it.
TEST_F(JsSession, IsNotSeenByAnyOtherChild) {
  auto one = sandbox().fork();
  one.run_in_session(
      "globalThis.secret = 'mine'; Object.prototype.polluted = 1; Array.prototype.map = null;\n"
      "JSON.parse = null; Math.random = () => 4; Promise.prototype.then = null;\n"
      "Function.prototype.call = null; console.log = null; delete globalThis.Date;");
  auto other = sandbox().fork();

  EXPECT_EQ(other
                .run_in_session("return [typeof secret, typeof {}.polluted, typeof [].map, "
                                "typeof JSON.parse, typeof Date, typeof console.log]")
                .value(),
            R"(["undefined","undefined","function","function","function","function"])");
  EXPECT_EQ(one.run_in_session("return secret").value(), R"("mine")");
  one.close();
  other.close();
  sandbox().message();
  sandbox().message();
}

TEST_F(JsSession, HasItsOwnRandomNumbers) {
  std::string const script =
      "const b = new Uint8Array(16); random(b);\nreturn [Math.random(), hex(b)]";
  auto const first = run(script).value();
  auto const second = run(script).value();
  auto const third = run("return Math.random()").value();

  EXPECT_NE(first, second);
  EXPECT_NE(first.substr(1, 10), second.substr(1, 10)) << "Math.random() repeats itself";
  EXPECT_NE(third, run("return Math.random()").value());
}

}  // namespace
}  // namespace sallyport::test
