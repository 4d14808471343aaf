#include "src/mcp/reply.hpp"

#include "tests/support/json_text.hpp"

#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using namespace std::chrono_literals;
using test::parsed_object;

constexpr auto kServerInfo = "io.modelcontextprotocol/serverInfo";

Replies replies() {
  ServerOptions options;
  options.info = {.name = "n", .title = "T", .version = "1"};
  options.cache_ttl = 5000ms;
  return Replies{options};
}

TEST(Replies, AddNothingForOlderRevisions) {
  for (auto const revision : kRevisions) {
    if (is_modern(revision)) continue;
    EXPECT_EQ(replies().empty(revision), "{}");
    EXPECT_EQ(replies().wrap(json::Object{{"a", 1}}, revision, Cacheable::Public), R"({"a":1})");
  }
}

TEST(Replies, CarryTypeAndServerIdentityInTheModernEra) {
  auto const empty = parsed_object(replies().empty(kModern));
  auto const task =
      parsed_object(replies().wrap(json::Object{{"a", 1}}, kModern, Cacheable::No, "task"));

  EXPECT_EQ(empty.at("resultType"), "complete");
  EXPECT_EQ(empty.at("_meta").at(kServerInfo),
            test::parsed(R"({"name":"n","version":"1","title":"T"})"));
  EXPECT_FALSE(empty.contains("ttlMs"));
  EXPECT_EQ(task.at("resultType"), "task");
  EXPECT_EQ(task.at("a"), 1);
}

TEST(Replies, SayForHowLongAndWhomAListMayBeKept) {
  auto const everybody = parsed_object(replies().wrap(R"("a":1)", kModern, Cacheable::Public));
  auto const one = parsed_object(replies().wrap(R"("a":1)", kModern, Cacheable::Private));

  EXPECT_EQ(everybody.at("ttlMs"), 5000);
  EXPECT_EQ(everybody.at("cacheScope"), "public");
  EXPECT_EQ(one.at("cacheScope"), "private");
}

TEST(Replies, MergeAMetaOfTheResultWithTheirOwn) {
  json::Object const both{{"a", 1}, {"_meta", json::Object{{"mine", 2}}}};
  json::Object const only_meta{{"_meta", json::Object{{"mine", 2}}}};

  for (auto const& result : {both, only_meta}) {
    for (auto const cacheable : {Cacheable::No, Cacheable::Private}) {
      auto const wrapped = parsed_object(replies().wrap(result, kModern, cacheable));
      EXPECT_EQ(wrapped.at("_meta").at("mine"), 2);
      EXPECT_EQ(wrapped.at("_meta").at(kServerInfo).at("name"), "n");
      EXPECT_EQ(wrapped.contains("a"), result.contains("a"));
      EXPECT_EQ(wrapped.contains("ttlMs"), cacheable == Cacheable::Private);
    }
  }
  EXPECT_EQ(parsed_object(replies().wrap(both, Revision::V2025_11_25)), both);
}

TEST(Replies, AResultCannotPassForAnotherServer) {
  json::Object const forged{{"_meta", json::Object{{kServerInfo, json::Object{{"name", "x"}}}}}};

  auto const wrapped = parsed_object(replies().wrap(forged, kModern));

  EXPECT_EQ(wrapped.at("_meta").at(kServerInfo).at("name"), "n");
}

class TaskObjectTest : public testing::Test {
 protected:
  TaskSnapshot task_{.id = "t0-1", .ttl = 60s};
  TaskStore::Limits limits_{.poll_interval = 500ms};
};

TEST_F(TaskObjectTest, NamesItsTimesByRevision) {
  auto const modern = task_object(task_, limits_);
  auto const core = core_task_object(task_, limits_);

  EXPECT_EQ(modern.at("ttlMs"), 60'000);
  EXPECT_EQ(modern.at("pollIntervalMs"), 500);
  EXPECT_EQ(core.at("ttl"), 60'000);
  EXPECT_EQ(core.at("pollInterval"), 500);
  EXPECT_FALSE(core.contains("ttlMs"));
  EXPECT_FALSE(core.contains("pollIntervalMs"));
}

TEST_F(TaskObjectTest, ShowsWhatBelongsToItsStatus) {
  task_.status = TaskStatus::InputRequired;
  task_.pending = {{"k", list_roots()}};
  EXPECT_EQ(detailed_task_object(task_, limits_).at("inputRequests").at("k").at("method"),
            "roots/list");

  task_.status = TaskStatus::Completed;
  task_.result = text_result("done");
  auto const completed = detailed_task_object(task_, limits_);
  EXPECT_EQ(completed.at("result").at("resultType"), "complete");
  EXPECT_FALSE(completed.contains("inputRequests"));

  task_.status = TaskStatus::Failed;
  task_.result.reset();
  task_.error = RpcError{code::kInternalError, "broke"};
  EXPECT_EQ(detailed_task_object(task_, limits_).at("error"),
            test::parsed(R"({"code":-32603,"message":"broke"})"));
}

TEST_F(TaskObjectTest, AToolThatReportsAnErrorHasFailedIn2025_11_25AndCompletedSince) {
  task_.status = TaskStatus::Completed;
  task_.result = error_result("no");

  EXPECT_EQ(core_task_object(task_, limits_).at("status"), "failed");
  EXPECT_EQ(detailed_task_object(task_, limits_).at("status"), "completed");
}

}  // namespace
}  // namespace sallyport::mcp
