#include "src/app/js_service.hpp"

#include "src/app/cli.hpp"
#include "src/app/product_registry.hpp"
#include "src/app/service_core.hpp"
#include "src/tools/run_js/test_engine.hpp"

#include "tests/support/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace sallyport::app {
namespace {

using testing::HasSubstr;
using tools::test_js::FakeEngine;
using tools::test_js::NoWorld;

JsService::Parts fake_parts() {
  return {std::make_unique<FakeEngine>(),
          [](RequestContext const&, std::string const&) { return std::make_unique<NoWorld>(); }};
}

config::Settings without_program() {
  config::Settings settings;
  settings.audit.enabled = false;
  settings.log.level = log::Level::Off;
  settings.js.engine.program = "/nonexistent/sallyport-js";
  return settings;
}

// Makes a whole core, as serve does, and gives what it offers.
Result<std::shared_ptr<mcp::Registry const>> offered(config::Settings const& settings) {
  std::shared_ptr<mcp::Registry const> registry;
  auto const make = [&](ServiceCore& core) -> Result<std::shared_ptr<mcp::Registry const>> {
    SP_TRY(auto* const scripts, core.offer_scripts(settings));
    SP_TRY(registry, product_registry(settings, core.road(), scripts));
    return registry;
  };
  SP_TRY(auto const core, ServiceCore::create(settings, 1, make));
  return registry;
}

TEST(JsService, WithScriptsThereAreFiveMoreTools) {
  config::Settings settings;
  JsService service{settings.js, fake_parts()};
  mcp::Registry::Builder builder;

  service.add_tools(builder);
  auto const registry = builder.build().value();

  for (auto const* const name :
       {"run_js", "get_execution", "get_execution_output", "cancel_execution", "list_executions"}) {
    EXPECT_NE(registry->tool(name), nullptr) << name;
  }
}

TEST(JsService, WithoutASandboxRunJsIsNotListed) {
  log::configure({.level = log::Level::Off});
  auto const registry = offered(without_program());

  ASSERT_TRUE(registry) << registry.error().message;
  EXPECT_EQ((*registry)->tool("run_js"), nullptr);
  EXPECT_EQ((*registry)->tool("get_execution"), nullptr);
  EXPECT_NE((*registry)->tool("fetch"), nullptr);
}

TEST(JsService, TheLogSaysWhyRunJsIsOff) {
  log::configure({.level = log::Level::Info});
  testing::internal::CaptureStderr();

  auto const registry = offered(without_program());
  auto const text = testing::internal::GetCapturedStderr();
  log::configure({.level = log::Level::Off});

  ASSERT_TRUE(registry);
  EXPECT_THAT(text, HasSubstr("run_js is off"));
  EXPECT_THAT(text, HasSubstr("/nonexistent/sallyport-js is not a program"));
}

TEST(JsService, SettingsThatInsistOnScriptsDoNotStartWithout) {
  auto settings = without_program();
  settings.js.enabled = config::JsEnabled::On;

  auto const registry = offered(settings);

  ASSERT_FALSE(registry);
  EXPECT_EQ(registry.error().code, Errc::InvalidInput);
  EXPECT_THAT(registry.error().message, HasSubstr("js.enabled is true, but js.program:"));
}

TEST(JsService, ScriptsThatAreOffStayOff) {
  auto settings = without_program();
  settings.js.enabled = config::JsEnabled::Off;

  auto const registry = offered(settings);

  ASSERT_TRUE(registry);
  EXPECT_EQ((*registry)->tool("run_js"), nullptr);
}

TEST(JsCommandLine, SaysWhyAScriptCannotBeRun) {
  std::ostringstream out;
  std::ostringstream err;
  config::Variables const environment{{"SALLYPORT_AUDIT_ENABLED", "false"},
                                      {"SALLYPORT_LOG_LEVEL", "off"}};

  int const code = run({"js", "run", "--js-program", "/nonexistent/sallyport-js", "/dev/null"},
                       {environment, out, err});

  EXPECT_EQ(code, 2);
  EXPECT_THAT(err.str(), HasSubstr("/nonexistent/sallyport-js is not a program"));
}

TEST(JsCommandLine, SaysThatAFileCannotBeRead) {
  for (auto const* const file : {"/nonexistent/script.js", "/"}) {
    std::ostringstream out;
    std::ostringstream err;

    int const code = run({"js", "run", file}, {{{"SALLYPORT_AUDIT_ENABLED", "false"}}, out, err});

    EXPECT_EQ(code, 2) << file;
    EXPECT_THAT(err.str(), HasSubstr("cannot be read")) << file;
  }
}

}  // namespace
}  // namespace sallyport::app
