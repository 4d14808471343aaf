#include "src/app/js_session.hpp"

#include "src/tools/run_js/test_engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <sstream>

namespace sallyport::app {
namespace {

using testing::HasSubstr;
using tools::test_js::error_of;
using tools::test_js::FakeEngine;
using tools::test_js::NoWorld;
using tools::test_js::value_of;

// A whole core, with an engine that does what it is told.
class JsSessionTest : public testing::Test {
 protected:
  JsSessionTest() {
    log::configure({.level = log::Level::Off});
    settings.audit.enabled = false;
    auto const make_parts = [this](auto const&, auto) -> Result<JsService::Parts> {
      auto made = std::make_unique<FakeEngine>();
      engine = made.get();
      return JsService::Parts{std::move(made), [this](RequestContext const& caller, auto const&) {
                                callers.push_back(caller);
                                return std::make_unique<NoWorld>();
                              }};
    };
    settings.js.run.limits.heap_mb = 99;
    session = JsSession::create(settings, {out, err}, make_parts).value();
  }

  config::Settings settings;
  std::ostringstream out;
  std::ostringstream err;
  FakeEngine* engine{nullptr};
  std::vector<RequestContext> callers;
  std::unique_ptr<JsSession> session;
};

TEST_F(JsSessionTest, RunsAScriptUnderTheSettings) {
  engine->log("hello");
  engine->outcome = value_of(2);

  EXPECT_EQ(session->run({.code = "1 + 1", .name = "x.js"}, PrintValue::Yes), 0);

  EXPECT_EQ(out.str(), "hello\n2\n");
  ASSERT_EQ(engine->scripts.size(), 1U);
  EXPECT_EQ(engine->scripts[0].limits.heap_mb, 99U);
  EXPECT_EQ(engine->scripts[0].name, "x.js");
  EXPECT_EQ(callers.size(), 1U);
}

TEST_F(JsSessionTest, AFailedScriptHasItsExitCode) {
  engine->outcome = error_of(js::RunEnd::Threw, "Error", "no");

  EXPECT_EQ(session->run({.code = "throw"}, PrintValue::No), 1);
}

TEST_F(JsSessionTest, CtrlCEndsTheScript) {
  engine->block();
  engine->on_run = [] { std::raise(SIGINT); };

  EXPECT_EQ(session->run({.code = "while (true) {}"}, PrintValue::No), 130);

  EXPECT_EQ(engine->cancelled, 1U);
  EXPECT_THAT(err.str(), HasSubstr("cancelled"));
}

TEST(JsSession, SaysWhyThereIsNone) {
  config::Settings settings;
  settings.audit.enabled = false;
  settings.js.enabled = config::JsEnabled::Off;
  std::ostringstream out;

  auto const session = JsSession::create(settings, {out, out});

  ASSERT_FALSE(session);
  EXPECT_EQ(session.error().message, "js.enabled is false");
}

}  // namespace
}  // namespace sallyport::app
