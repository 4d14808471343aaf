#include "src/app/js_script.hpp"

#include "src/app/js_repl.hpp"
#include "src/tools/run_js/test_engine.hpp"

#include "tests/support/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace sallyport::app {
namespace {

using testing::HasSubstr;
using tools::test_js::error_of;
using tools::test_js::FakeEngine;
using tools::test_js::NoWorld;
using tools::test_js::value_of;

class JsScriptTest : public testing::Test {
 protected:
  int run(PrintValue print = PrintValue::No, test::Interrupt interrupt = test::Interrupt::Never) {
    NoWorld world;
    auto const code =
        test::run(run_script(engine, world, {.code = "1"}, {out, err}, print), interrupt);
    return code ? *code : -1;
  }

  FakeEngine engine;
  std::ostringstream out;
  std::ostringstream err;
};

TEST_F(JsScriptTest, ConsoleOutputGoesWhereItBelongsAsItWasWritten) {
  engine.lines = {{"log", "a\nb"}, {"error", "c"}, {"info", "d"}, {"warn", "e"}, {"debug", "f"}};

  EXPECT_EQ(run(), 0);

  EXPECT_EQ(out.str(), "a\nb\nd\nf\n");
  EXPECT_EQ(err.str(), "c\ne\n");
}

TEST_F(JsScriptTest, TheValueIsPrintedOnlyWhenAskedFor) {
  engine.outcome = value_of(json::Object{{"a", 1}});
  EXPECT_EQ(run(), 0);
  EXPECT_EQ(out.str(), "");

  EXPECT_EQ(run(PrintValue::Yes), 0);
  EXPECT_EQ(out.str(), "{\"a\":1}\n");
}

TEST_F(JsScriptTest, AnErrorGoesToTheErrorStreamOnceAndTheExitCodeIsOne) {
  engine.outcome = error_of(js::RunEnd::Threw, "TypeError", "no");

  EXPECT_EQ(run(), 1);

  EXPECT_EQ(out.str(), "");
  EXPECT_EQ(err.str(), "TypeError: no\n    at script.js:1:7\n");
}

TEST_F(JsScriptTest, ALimitThatWasMetIsAFailureToo) {
  engine.outcome.end = js::RunEnd::OutOfMemory;
  engine.outcome.error = js::ScriptError{"RangeError", "The heap is full.", ""};

  EXPECT_EQ(run(), 1);

  EXPECT_EQ(err.str(), "RangeError: The heap is full.\n");
}

TEST_F(JsScriptTest, AScriptThatCouldNotBeRunIsAnotherFailure) {
  engine.failure = fail(Errc::LimitExceeded, "Too many scripts are running.");

  EXPECT_EQ(run(), 2);

  EXPECT_EQ(err.str(), "sallyport: Too many scripts are running.\n");
}

TEST_F(JsScriptTest, InterruptingEndsTheScriptWithTheShellsCode) {
  engine.block();

  EXPECT_EQ(run(PrintValue::No, test::Interrupt::AfterFirstSuspension), 130);

  EXPECT_EQ(engine.cancelled, 1U);
  EXPECT_THAT(err.str(), HasSubstr("cancelled"));
}

class JsReplTest : public JsScriptTest {
 protected:
  JsRepl::Next take(std::string line) { return test::run(repl.take(std::move(line))).value(); }
  void answer_syntax_error(std::string message) {
    engine.outcome = error_of(js::RunEnd::Threw, "SyntaxError", std::move(message));
  }

  JsRepl repl{engine,
              [] { return std::make_unique<NoWorld>(); },
              js::Script{.name = "repl", .session = "s"},
              {out, err}};
};

TEST_F(JsReplTest, PrintsTheValueOfEachLineInOneSession) {
  engine.outcome = value_of("text");

  take("'text'");
  take("2");

  EXPECT_EQ(out.str(), "\"text\"\n\"text\"\n");
  ASSERT_EQ(engine.scripts.size(), 2U);
  EXPECT_EQ(engine.scripts[0].code, "'text'");
  EXPECT_EQ(engine.scripts[1].session, "s");
}

TEST_F(JsReplTest, WhatIsNotCompleteGoesOnInTheNextLine) {
  answer_syntax_error("Unexpected end of input");
  take("function f() {");
  EXPECT_EQ(repl.prompt(), "... ");
  EXPECT_EQ(err.str(), "");
  engine.outcome = {};
  take("}");

  EXPECT_EQ(engine.scripts.back().code, "function f() {\n}");
  EXPECT_EQ(repl.prompt(), "> ");
}

TEST_F(JsReplTest, AnEmptyLineShowsWhatIsWrongWithWhatIsNotComplete) {
  answer_syntax_error("Unexpected end of input");
  take("f(");

  take("");

  EXPECT_THAT(err.str(), HasSubstr("SyntaxError: Unexpected end of input"));
  EXPECT_EQ(repl.prompt(), "> ");
}

TEST_F(JsReplTest, OtherErrorsAreShownAtOnce) {
  answer_syntax_error("Unexpected token ')'");

  take(")");

  EXPECT_THAT(err.str(), HasSubstr("Unexpected token"));
  EXPECT_EQ(repl.prompt(), "> ");
}

TEST_F(JsReplTest, AnEmptyLineRunsNothing) {
  EXPECT_EQ(take(""), JsRepl::Next::Line);

  EXPECT_TRUE(engine.scripts.empty());
}

TEST_F(JsReplTest, EndsWhenToldTo) {
  EXPECT_EQ(take(".help"), JsRepl::Next::Line);
  EXPECT_THAT(out.str(), HasSubstr(".exit"));
  EXPECT_EQ(take(".exit"), JsRepl::Next::End);
  EXPECT_TRUE(engine.scripts.empty());
}

TEST_F(JsReplTest, AnInterruptForgetsTheLinesSoFarAndTheSecondInARowEnds) {
  answer_syntax_error("Unexpected end of input");
  take("f(");

  EXPECT_EQ(repl.interrupt(), JsRepl::Next::Line);
  EXPECT_EQ(repl.prompt(), "> ");
  EXPECT_EQ(repl.interrupt(), JsRepl::Next::Line);
  take("");
  EXPECT_EQ(repl.interrupt(), JsRepl::Next::Line) << "not in a row";
  EXPECT_EQ(repl.interrupt(), JsRepl::Next::End);
}

TEST_F(JsReplTest, AScriptThatIsInterruptedDoesNotEndTheRest) {
  engine.block();

  auto const next = test::run(repl.take("while (true) {}"), test::Interrupt::AfterFirstSuspension);

  EXPECT_EQ(next.value(), JsRepl::Next::Line);
  EXPECT_THAT(err.str(), HasSubstr("cancelled"));
}

}  // namespace
}  // namespace sallyport::app
