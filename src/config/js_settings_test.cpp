#include "src/config/show.hpp"
#include "src/config/test_load.hpp"

#include <gmock/gmock.h>

namespace sallyport::config {
namespace {

using namespace std::chrono_literals;
using test::load_environment;
using test::load_text;
using test::problems;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(JsSettings, AreOfferedWhereThereIsASandboxUnlessSaidOtherwise) {
  EXPECT_EQ(load_environment({}).settings.js.enabled, JsEnabled::Auto);
  EXPECT_EQ(load_text("js:\n  enabled: true\n").settings.js.enabled, JsEnabled::On);
  EXPECT_EQ(load_text("js: {enabled: false}\n").settings.js.enabled, JsEnabled::Off);
  EXPECT_EQ(load_environment({{"SALLYPORT_JS_ENABLED", "auto"}}).settings.js.enabled,
            JsEnabled::Auto);
  EXPECT_THAT(problems(load_text("js:\n  enabled: maybe\n")),
              ElementsAre(HasSubstr("js.enabled: must be one of auto, true, false")));
}

TEST(JsSettings, HaveTheLimitsThatTheGuideNames) {
  auto const js = load_environment({}).settings.js;

  EXPECT_EQ(js.run.limits.wall, 30s);
  EXPECT_EQ(js.run.max_wall, 300s);
  EXPECT_EQ(js.run.limits.heap_mb, 128U);
  EXPECT_EQ(js.run.max_heap_mb, 512U);
  EXPECT_EQ(js.run.background_after, 20s);
  EXPECT_EQ(js.executions.kept, 100U);
  EXPECT_EQ(js.executions.kept_for, 1h);
}

TEST(JsSettings, ReachTheOptionsOfEngineAndTools) {
  auto const loaded = load_text(R"(
js:
  program: /opt/sallyport-js
  concurrent: 3
  queue: 7
  queue_timeout: 2s
  concurrent_per_principal: 5
  timeout: 10s
  max_timeout: 20s
  cpu_time: 4s
  heap_mb: 32
  max_heap_mb: 64
  output_bytes: 2MiB
  calls: 9
  body_bytes: 1MiB
  answer_bytes: 16KiB
  background_after: 5s
  sessions: 11
  sessions_per_principal: 2
  session_idle: 1m
  keep_executions: 12
  keep_bytes: 3MiB
  keep_total_bytes: 4MiB
  keep_for: 10m
)");
  ASSERT_THAT(problems(loaded), ElementsAre());
  auto const& js = loaded.settings.js;

  EXPECT_EQ(js.engine.program, "/opt/sallyport-js");
  EXPECT_EQ(js.engine.concurrent, 3U);
  EXPECT_EQ(js.engine.queued, 7U);
  EXPECT_EQ(js.engine.longest_wait, 2s);
  EXPECT_EQ(js.executions.under_way, 5U);
  EXPECT_EQ(js.run.limits.wall, 10s);
  EXPECT_EQ(js.run.max_wall, 20s);
  EXPECT_EQ(js.run.limits.cpu, 4s);
  EXPECT_EQ(js.run.limits.heap_mb, 32U);
  EXPECT_EQ(js.run.max_heap_mb, 64U);
  EXPECT_EQ(js.run.limits.output_bytes, 2U * 1024 * 1024);
  EXPECT_EQ(js.run.limits.calls, 9U);
  EXPECT_EQ(js.run.limits.body_bytes, 1024U * 1024);
  EXPECT_EQ(js.run.answer_bytes, 16U * 1024);
  EXPECT_EQ(js.run.background_after, 5s);
  EXPECT_EQ(js.engine.sessions, 11U);
  EXPECT_EQ(js.engine.sessions_per_owner, 2U);
  EXPECT_EQ(js.engine.session_idle, 1min);
  EXPECT_EQ(js.executions.kept, 12U);
  EXPECT_EQ(js.executions.kept_bytes, 3U * 1024 * 1024);
  EXPECT_EQ(js.executions.total_bytes, 4U * 1024 * 1024);
  EXPECT_EQ(js.executions.kept_for, 10min);
}

TEST(JsSettings, ADefaultAboveItsCeilingIsAProblem) {
  EXPECT_THAT(problems(load_text("js:\n  timeout: 10m\n")),
              ElementsAre(HasSubstr("js.timeout: is above js.max_timeout")));
  EXPECT_THAT(problems(load_text("js:\n  heap_mb: 1024\n")),
              ElementsAre(HasSubstr("js.heap_mb: is above js.max_heap_mb")));
  EXPECT_TRUE(load_text("js: {heap_mb: 1024, max_heap_mb: 1024}\n").good());
}

TEST(JsSettings, AreShownAsTheyAreWritten) {
  auto const text = show(load_text("js:\n  enabled: false\n"), ShowFormat::Json);

  EXPECT_THAT(text, HasSubstr(R"("js.enabled")"));
  EXPECT_TRUE(load_text(show(load_text("js:\n  enabled: false\n"), ShowFormat::Yaml)).good());
}

}  // namespace
}  // namespace sallyport::config
