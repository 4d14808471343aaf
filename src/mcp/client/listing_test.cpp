#include "src/mcp/client/listing.hpp"

#include "src/json/write.hpp"
#include "src/mcp/client/test_wire.hpp"

#include "tests/support/run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::mcp::client {
namespace {

class NobodyObserves final : public Observer {
 public:
  void heard(NotificationMessage const&) override {}
};

std::string page(std::string const& members) {
  return R"({"jsonrpc":"2.0","id":{id},"result":{"resultType":"complete",)" + members + "}}";
}

Result<Listing> list_tools(ScriptedWire& wire, ListLimits limits = {}) {
  wire.says["server/discover"] = {
      {.messages = {page(R"("supportedVersions":["2026-07-28"],"capabilities":{})")}}};
  return test::run([](ScriptedWire& way, ListLimits bounds) -> Task<Listing> {
    NobodyObserves nobody;
    Client client{way, nobody, {}, co_await asio::this_coro::executor};
    auto listing = co_await list_all(client, "tools/list", "tools", bounds);
    (void)co_await client.close();
    co_return std::move(listing);
  }(wire, limits));
}

TEST(Listing, HasAllPagesAndTheShortestLifetime) {
  ScriptedWire wire;
  wire.says["tools/list"] = {
      {.messages = {page(R"("tools":[{"name":"a"},7],"nextCursor":"","ttlMs":5000)")}},
      {.messages = {page(R"("tools":[{"name":"b"}],"ttlMs":900)")}}};

  auto const listing = list_tools(wire);

  ASSERT_EQ(listing->entries.size(), 2U);
  EXPECT_EQ(listing->entries[1].at("name").as_string(), "b");
  EXPECT_EQ(listing->fresh_for, std::chrono::milliseconds{900});
  EXPECT_FALSE(wire.posts[1].params().contains("cursor"));
  EXPECT_EQ(wire.posts[2].params().at("cursor").as_string(), "");
}

TEST(Listing, IsFreshForADayAtMost) {
  ScriptedWire wire;
  wire.says["tools/list"] = {{.messages = {page(R"("tools":[],"ttlMs":9223372036854775807)")}}};

  EXPECT_EQ(list_tools(wire)->fresh_for, std::chrono::hours{24});
}

TEST(Listing, EndsWhereTheServerDoesNot) {
  ScriptedWire wire;
  wire.says["tools/list"] = {{.messages = {page(R"("tools":[{"name":"a"}],"nextCursor":"x")")}}};

  EXPECT_EQ(list_tools(wire, {.pages = 5}).error().code, Errc::LimitExceeded);
  EXPECT_EQ(list_tools(wire, {.entries = 3}).error().code, Errc::LimitExceeded);
}

TEST(Listing, FailsWithTheErrorOfTheServer) {
  ScriptedWire wire;
  wire.says["tools/list"] = {
      {.messages = {R"({"jsonrpc":"2.0","id":{id},"error":{"code":-32603,"message":"broken"}})"}}};

  auto const listing = list_tools(wire);

  EXPECT_EQ(listing.error().code, Errc::UpstreamFailed);
  EXPECT_EQ(listing.error().detail, "broken");
}

TEST(Listing, TellsAServerWithoutTheListFromOneInTrouble) {
  ScriptedWire wire;
  wire.says["tools/list"] = {
      {.messages = {R"({"jsonrpc":"2.0","id":{id},"error":{"code":-32601,"message":"?"}})"}}};

  EXPECT_EQ(list_tools(wire).error().code, Errc::NotFound);
}

}  // namespace
}  // namespace sallyport::mcp::client
