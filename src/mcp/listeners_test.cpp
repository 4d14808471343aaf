#include "src/mcp/listeners.hpp"

#include "tests/support/json_text.hpp"
#include "tests/support/mcp_bench.hpp"

#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using Kind = Event::Kind;
using test::parsed_object;
using test::RecordingOutlet;

class ListenersTest : public testing::Test {
 protected:
  Listeners::Handle listen(ListenFilter filter, std::string owner = "alice") {
    return listeners_.add(
        {.filter = std::move(filter),
         .subscription = 7,
         .owner = std::move(owner),
         .send = [this](std::string text) { heard_.push_back(std::move(text)); }});
  }

  Listeners listeners_;
  std::vector<std::string> heard_;
};

TEST_F(ListenersTest, AListenerHearsWhatItAskedForWithItsSubscriptionId) {
  listen({.tools = true, .uris = {"x://1"}});

  for (auto const kind : {Kind::ToolsChanged, Kind::PromptsChanged, Kind::ResourcesChanged}) {
    listeners_.deliver({.kind = kind});
  }
  listeners_.deliver({.kind = Kind::ResourceUpdated, .subject = "x://1"});
  listeners_.deliver({.kind = Kind::ResourceUpdated, .subject = "x://2"});

  ASSERT_EQ(heard_.size(), 2U);
  EXPECT_EQ(parsed_object(heard_[0]), parsed_object(R"({"jsonrpc":"2.0",
      "method":"notifications/tools/list_changed",
      "params":{"_meta":{"io.modelcontextprotocol/subscriptionId":7}}})"));
  EXPECT_EQ(parsed_object(heard_[1]), parsed_object(R"({"jsonrpc":"2.0",
      "method":"notifications/resources/updated",
      "params":{"uri":"x://1","_meta":{"io.modelcontextprotocol/subscriptionId":7}}})"));
}

TEST_F(ListenersTest, NobodyHearsOfAnothersTask) {
  listen({.tasks = {"t0-1"}}, "alice");

  listeners_.deliver({.kind = Kind::TaskChanged, .subject = "t0-1", .owner = "mallory"});
  EXPECT_TRUE(heard_.empty());
  listeners_.deliver({.kind = Kind::TaskChanged,
                      .subject = "t0-1",
                      .task = {{"taskId", "t0-1"}},
                      .owner = "alice"});

  ASSERT_EQ(heard_.size(), 1U);
  EXPECT_EQ(parsed_object(heard_[0]).at("params").at("taskId"), "t0-1");
}

TEST_F(ListenersTest, AListenerThatWasRemovedHearsNothing) {
  auto const handle = listen({.tools = true});

  listeners_.remove(handle);
  listeners_.deliver({.kind = Kind::ToolsChanged});

  EXPECT_TRUE(heard_.empty());
}

TEST_F(ListenersTest, ASessionHearsOnItsNewestStreamOnly) {
  auto const session = std::make_shared<Session>("s", Session::Agreement{});
  RecordingOutlet first;
  RecordingOutlet second;
  listeners_.attach(session, first);
  listeners_.attach(session, second);

  listeners_.deliver({.kind = Kind::ToolsChanged});

  EXPECT_TRUE(first.sent.empty());
  ASSERT_EQ(second.sent.size(), 1U);
  EXPECT_FALSE(second.sent[0].contains("params"));
}

TEST_F(ListenersTest, ASessionHearsOfTheResourcesItSubscribedTo) {
  auto const session = std::make_shared<Session>("s", Session::Agreement{});
  RecordingOutlet outlet;
  listeners_.attach(session, outlet);
  session->subscribe("x://1");

  listeners_.deliver({.kind = Kind::ResourceUpdated, .subject = "x://1"});
  listeners_.deliver({.kind = Kind::ResourceUpdated, .subject = "x://2"});
  listeners_.deliver({.kind = Kind::TaskChanged, .subject = "t0-1"});

  ASSERT_EQ(outlet.sent.size(), 1U);
  EXPECT_EQ(outlet.sent[0].at("params").at("uri"), "x://1");
}

TEST_F(ListenersTest, ADetachedStreamHearsNothing) {
  auto const session = std::make_shared<Session>("s", Session::Agreement{});
  RecordingOutlet outlet;
  listeners_.attach(session, outlet);

  listeners_.detach(outlet);
  listeners_.deliver({.kind = Kind::ToolsChanged});

  EXPECT_TRUE(outlet.sent.empty());
}

TEST_F(ListenersTest, TheStreamsOfASessionEndWithIt) {
  auto const mine = std::make_shared<Session>("mine", Session::Agreement{});
  auto const other = std::make_shared<Session>("other", Session::Agreement{});
  RecordingOutlet my_stream;
  RecordingOutlet other_stream;
  listeners_.attach(mine, my_stream);
  listeners_.attach(other, other_stream);

  listeners_.close_session("mine");
  EXPECT_EQ(my_stream.finished, 1);
  EXPECT_EQ(other_stream.finished, 0);
  listeners_.detach(my_stream);
  listeners_.close_all();

  EXPECT_EQ(other_stream.finished, 1);
}

}  // namespace
}  // namespace sallyport::mcp
