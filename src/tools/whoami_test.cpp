#include "src/tools/whoami.hpp"

#include "src/json/schema.hpp"

#include "tests/support/run.hpp"

#include <gtest/gtest.h>

namespace sallyport::tools {
namespace {

struct FakeContext final : mcp::CallContext {
  RequestContext about;

  RequestContext const& request() const noexcept override { return about; }
  void progress(double, std::optional<double>, std::string_view) override {}
  void log(mcp::LogLevel, json::Value, std::string_view) override {}
  bool can_ask(mcp::InputKind) const override { return false; }
  Task<mcp::InputResponses> ask(mcp::InputRequests) override { co_return mcp::InputResponses{}; }
  Task<void> start_task() override { co_return Result<void>{}; }
  void release_connection(std::chrono::milliseconds) override {}
  void publish(mcp::Event) override {}
};

json::Object call(RequestContext about) {
  FakeContext context;
  context.about = std::move(about);
  auto const result = test::run(whoami().handler(context, {}));
  return result->structured->get_object();
}

TEST(Whoami, TellsThePrincipalItsScopesAndItsKind) {
  auto const result = call({.request_id = "r-1",
                            .principal = {.id = "alice",
                                          .issuer = "https://issuer.example",
                                          .scopes = {"fetch"},
                                          .kind = CallerKind::App}});

  EXPECT_TRUE(result.at("authenticated").get_bool());
  EXPECT_EQ(result.at("principal"), "alice");
  EXPECT_EQ(result.at("issuer"), "https://issuer.example");
  EXPECT_EQ(result.at("scopes").get_array().size(), 1u);
  EXPECT_EQ(result.at("caller"), "app");
  EXPECT_EQ(result.at("requestId"), "r-1");
}

TEST(Whoami, NobodyIsAuthenticatedWhereNobodyIsAsked) {
  auto const result = call({});

  EXPECT_FALSE(result.at("authenticated").get_bool());
  EXPECT_EQ(result.at("principal"), "");
}

TEST(Whoami, ItsResultFitsItsOutputSchema) {
  auto const schema = json::Schema::compile(*whoami().output_schema);

  ASSERT_TRUE(schema);
  EXPECT_TRUE(schema->validate(call({.principal = {.id = "bob"}})));
}

}  // namespace
}  // namespace sallyport::tools
