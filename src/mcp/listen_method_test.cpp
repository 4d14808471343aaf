#include "tests/support/mcp_bench.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace sallyport::mcp {
namespace {

using Kind = Event::Kind;
using test::McpBench;
using test::parsed;
using test::RecordingOutlet;
using testing::ElementsAre;

Task<ToolResult> asks_name(CallContext& context, json::Object const&) {
  InputRequests questions{{"roots", list_roots()}};
  SP_CO_TRY(auto const answers, co_await context.ask(std::move(questions)));
  co_return text_result("done");
}

Registry::Builder entries() {
  Tool tool;
  tool.name = "asks";
  tool.task_support = TaskSupport::Optional;
  tool.handler = asks_name;
  Resource resource;
  resource.uri = "x://1";
  resource.name = "1";
  Registry::Builder builder;
  builder.add(std::move(tool)).add(std::move(resource));
  return builder;
}

class ListenTest : public testing::Test {
 protected:
  RecordingOutlet& listen(std::string_view wanted, std::int64_t id = 0) {
    return bench_.modern("subscriptions/listen", fmt::format(R"({{"notifications":{}}})", wanted),
                         "{}", id);
  }
  void publish(Event event) {
    bench_.server().publish(std::move(event));
    bench_.settle();
  }
  static json::Value subscription_of(json::Object const& message) {
    return message.at("params").at("_meta").at("io.modelcontextprotocol/subscriptionId");
  }

  McpBench bench_{entries()};
};

TEST_F(ListenTest, IsAcknowledgedFirstWithWhatIsGranted) {
  auto const& outlet = listen(R"({"toolsListChanged":true,"promptsListChanged":true,
      "resourcesListChanged":false,"resourceSubscriptions":["x://1",7],"taskIds":["t0-1"],
      "unknown":true})",
                              9);

  ASSERT_THAT(outlet.sent_methods(), ElementsAre("notifications/subscriptions/acknowledged"));
  // There are no prompts, so nothing is promised about them.
  EXPECT_EQ(outlet.sent[0].at("params").at("notifications"),
            parsed(R"({"toolsListChanged":true,"resourceSubscriptions":["x://1"],
                       "taskIds":["t0-1"]})"));
  EXPECT_EQ(subscription_of(outlet.sent[0]), 9);
  EXPECT_EQ(outlet.finished, 0);
}

TEST_F(ListenTest, CarriesWhatWasAskedForAndNothingElse) {
  auto const& outlet = listen(R"({"toolsListChanged":true,"resourceSubscriptions":["x://1"]})", 9);

  publish({.kind = Kind::ToolsChanged});
  publish({.kind = Kind::ResourcesChanged});
  publish({.kind = Kind::ResourceUpdated, .subject = "x://1"});
  publish({.kind = Kind::ResourceUpdated, .subject = "x://2"});

  ASSERT_THAT(outlet.sent_methods(),
              ElementsAre("notifications/subscriptions/acknowledged",
                          "notifications/tools/list_changed", "notifications/resources/updated"));
  for (auto const& message : outlet.sent) EXPECT_EQ(subscription_of(message), 9);
}

TEST_F(ListenTest, WithoutANotificationsObjectIsRefused) {
  for (auto const* const params : {"{}", R"({"notifications":true})", R"({"notifications":[]})"}) {
    auto const& outlet = bench_.modern("subscriptions/listen", params);
    EXPECT_EQ(outlet.error_code(), code::kInvalidParams) << params;
    EXPECT_TRUE(outlet.sent.empty()) << params;
  }
}

TEST_F(ListenTest, EndsWithAResultWhenTheServerStops) {
  auto const& outlet = listen("{}", 9);

  bench_.stop();

  EXPECT_EQ(outlet.result().at("resultType"), "complete");
  EXPECT_EQ(outlet.result().at("_meta").at("io.modelcontextprotocol/subscriptionId"), 9);
}

TEST_F(ListenTest, EndsAloneWhenItsConnectionIsWoundDown) {
  auto& ended = listen("{}");
  auto const& other = listen("{}");

  bench_.dispatcher().end_subscription(ended);
  bench_.settle();

  EXPECT_EQ(ended.result().at("resultType"), "complete");
  EXPECT_EQ(other.finished, 0);
}

TEST_F(ListenTest, IsSilentOnceItIsCancelled) {
  bench_.cancel_scope = "peer";
  auto const& outlet = listen(R"({"toolsListChanged":true})", 9);

  bench_.server().cancel("peer", 9);
  bench_.settle();
  publish({.kind = Kind::ToolsChanged});

  EXPECT_EQ(outlet.sent.size(), 1U);
  EXPECT_EQ(outlet.finished, 1);
  EXPECT_TRUE(outlet.answer.empty());
  EXPECT_EQ(bench_.server().counters().listeners.value(), 0);
}

TEST_F(ListenTest, TellsTheOwnerOfATaskHowItGoes) {
  auto const capabilities = R"({"extensions":{"io.modelcontextprotocol/tasks":{}},"roots":{}})";
  bench_.principal.id = "alice";
  auto const created = bench_.modern("tools/call", R"({"name":"asks"})", capabilities).result();
  auto const id = std::string{json::view(created.at("taskId").get_string())};
  auto const wanted = fmt::format(R"({{"taskIds":["{}"]}})", id);
  auto const& mine = listen(wanted);
  bench_.principal.id = "mallory";
  auto const& other = listen(wanted);
  bench_.principal.id = "alice";

  bench_.modern("tasks/cancel", fmt::format(R"({{"taskId":"{}"}})", id), capabilities);
  bench_.settle();

  ASSERT_EQ(mine.sent.size(), 2U);
  EXPECT_EQ(mine.sent[1].at("method"), "notifications/tasks");
  EXPECT_EQ(mine.sent[1].at("params").at("status"), "cancelled");
  EXPECT_EQ(other.sent.size(), 1U);
}

TEST_F(ListenTest, ANewRegistryIsToldToListenersAndSessions) {
  auto const& outlet = listen(R"({"toolsListChanged":true,"resourcesListChanged":true})");
  auto const session = bench_.open(Revision::V2025_11_25);
  RecordingOutlet stream;
  bench_.dispatcher().attach_stream(session, stream);

  auto changed = entries();
  changed.add(Tool{.name = "new", .handler = {}});
  bench_.server().replace_registry(changed.build().value());
  bench_.settle();

  EXPECT_EQ(outlet.sent.size(), 2U) << "the resources are the same";
  EXPECT_THAT(stream.sent_methods(), testing::Contains("notifications/tools/list_changed"));
  bench_.dispatcher().detach_stream(stream);
}

TEST_F(ListenTest, ALegacySessionSubscribesToSingleResources) {
  auto const session = bench_.open(Revision::V2025_11_25);
  RecordingOutlet stream;
  bench_.dispatcher().attach_stream(session, stream);

  auto const& subscribed = bench_.legacy(session, "resources/subscribe", R"({"uri":"x://1"})");
  publish({.kind = Kind::ResourceUpdated, .subject = "x://1"});
  bench_.legacy(session, "resources/unsubscribe", R"({"uri":"x://1"})");
  publish({.kind = Kind::ResourceUpdated, .subject = "x://1"});

  EXPECT_EQ(json::to_text(subscribed.answer.at("result")), "{}");
  EXPECT_EQ(stream.sent.size(), 1U);
  EXPECT_EQ(bench_.legacy(session, "resources/subscribe").error_code(), code::kInvalidParams);
  bench_.dispatcher().detach_stream(stream);
}

// The server behind a gateway is to tell of what somebody waits for, and of nothing else.
TEST_F(ListenTest, AnInterestLastsAsLongAsSomebodyListens) {
  auto const wanted = std::make_shared<std::multiset<std::string>>();
  bench_.server().on_subscribe(
      [wanted](std::string const& uri, std::string const&) -> Result<Interest> {
        if (uri == "x://too-many") return fail(Errc::LimitExceeded, "Too many.");
        auto const place = wanted->insert(uri);
        return Interest{static_cast<void const*>(nullptr),
                        [wanted, place](void const*) { wanted->erase(place); }};
      });
  auto const session = bench_.open(Revision::V2025_11_25);

  bench_.cancel_scope = "peer";
  auto const& outlet = listen(R"({"resourceSubscriptions":["x://1","x://too-many"]})", 9);
  bench_.legacy(session, "resources/subscribe", R"({"uri":"x://1"})");
  bench_.legacy(session, "resources/subscribe", R"({"uri":"x://1"})");
  bench_.legacy(session, "resources/subscribe", R"({"uri":"x://2"})");
  auto const& refused = bench_.legacy(session, "resources/subscribe", R"({"uri":"x://too-many"})");

  EXPECT_THAT(*wanted, ElementsAre("x://1", "x://1", "x://2"));
  EXPECT_NE(refused.error_code(), 0);
  EXPECT_EQ(json::to_text(outlet.sent.at(0).at("params").at("notifications")),
            R"({"resourceSubscriptions":["x://1"]})");
  bench_.legacy(session, "resources/unsubscribe", R"({"uri":"x://1"})");
  EXPECT_THAT(*wanted, ElementsAre("x://1", "x://2"));
  bench_.server().cancel("peer", 9);
  bench_.settle();
  EXPECT_THAT(*wanted, ElementsAre("x://2"));
}

// A session may be closed behind the back of its loops: it was idle, or made room for another.
TEST_F(ListenTest, ASessionThatIsOverHearsNothingAndItsStreamEnds) {
  auto const session = bench_.open(Revision::V2025_11_25);
  RecordingOutlet stream;
  bench_.dispatcher().attach_stream(session, stream);

  bench_.server().sessions().close(*session);
  publish({.kind = Kind::ToolsChanged});
  bench_.server().sweep();
  bench_.settle();

  EXPECT_TRUE(stream.sent.empty());
  EXPECT_EQ(stream.finished, 1);
  bench_.dispatcher().detach_stream(stream);
}

}  // namespace
}  // namespace sallyport::mcp
