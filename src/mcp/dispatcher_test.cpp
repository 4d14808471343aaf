#include "src/mcp/dispatcher.hpp"

#include "tests/support/mcp_bench.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

using namespace std::chrono_literals;
using test::McpBench;
using test::parsed;
using test::RecordingOutlet;
using testing::HasSubstr;

Task<ToolResult> answers(CallContext&, json::Object const& arguments) {
  co_return text_result(json::to_text(arguments));
}

Task<void> wait_forever() {
  auto const executor = co_await asio::this_coro::executor;
  Timer timer{executor, Timer::time_point::max()};
  co_await timer.async_wait(use_async);
  co_return Result<void>{};
}

Task<ToolResult> waits(CallContext&, json::Object const&) {
  SP_CO_CHECK(co_await wait_forever());
  co_return text_result("never");
}

Task<ToolResult> takes_its_time(CallContext& context, json::Object const&) {
  context.may_take(1h);
  SP_CO_CHECK(co_await wait_forever());
  co_return text_result("never");
}

Task<ToolResult> asks_for_roots(CallContext& context, json::Object const&) {
  InputRequests requests{{"roots", list_roots()}};
  SP_CO_CHECK(co_await context.ask(std::move(requests)));
  co_return text_result("answered");
}

// Like a tool whose library reports an interruption as a failure of its own.
Task<ToolResult> waits_and_complains(CallContext& context, json::Object const&) {
  auto const outcome = co_await capture(wait_forever());
  context.progress(1);
  context.log(LogLevel::Error, "interrupted");
  if (!outcome) co_return fail(Errc::UpstreamFailed, "The peer hung up.");
  co_return text_result("never");
}

template <Errc kCode>
Task<ToolResult> fails(CallContext&, json::Object const&) {
  co_return fail(kCode, "what went wrong", "for the log");
}

Task<ToolResult> throws(CallContext&, json::Object const&) {
  throw std::runtime_error{"a secret"};
  co_return text_result("");
}

Tool tool(std::string name, ToolHandler handler) {
  Tool made;
  made.name = std::move(name);
  made.handler = std::move(handler);
  return made;
}

Registry::Builder some_tools() {
  Registry::Builder builder;
  auto checked = tool("checked", answers);
  checked.input_schema = test::parsed_object(
      R"({"type":"object","properties":{"limit":{"type":"integer"}},"required":["limit"]})");
  auto mirrored = tool("mirrored", answers);
  mirrored.input_schema = test::parsed_object(
      R"({"type":"object","properties":{"r":{"type":"string","x-mcp-header":"R"}}})");
  auto for_apps = tool("for_apps", answers);
  for_apps.meta = test::parsed_object(R"({"ui":{"visibility":["app"]}})");
  auto needs = tool("needs_sampling", answers);
  needs.required_capabilities = test::parsed_object(R"({"sampling":{"tools":{}}})");
  builder.add(tool("echo", answers))
      .add(tool("waits", waits))
      .add(tool("patient", takes_its_time))
      .add(tool("asks", asks_for_roots))
      .add(tool("complains", waits_and_complains))
      .add(tool("invalid", fails<Errc::InvalidInput>))
      .add(tool("denied", fails<Errc::PolicyDenied>))
      .add(tool("broken", fails<Errc::Internal>))
      .add(tool("throws", throws))
      .add(std::move(checked))
      .add(std::move(mirrored))
      .add(std::move(for_apps))
      .add(std::move(needs));
  return builder;
}

class DispatcherTest : public testing::Test {
 protected:
  explicit DispatcherTest(ServerOptions options = {}) : bench_{some_tools(), std::move(options)} {}

  RecordingOutlet& call(std::string_view name, std::string_view arguments = "{}",
                        std::int64_t id = 0) {
    return bench_.modern(
        "tools/call", fmt::format(R"({{"name":"{}","arguments":{}}})", name, arguments), "{}", id);
  }

  void cancel(std::string const& scope, json::Value id) {
    bench_.dispatcher().handle_notification(
        {"notifications/cancelled", json::Object{{"requestId", std::move(id)}}}, scope);
    bench_.settle();
  }

  McpBench bench_;
};

TEST_F(DispatcherTest, AnUnknownMethodIsNotFoundInEachEra) {
  auto const session = bench_.open(Revision::V2025_11_25);

  for (auto const* const method : {"no/such", "ping", "logging/setLevel", "resources/subscribe",
                                   "initialize", "tasks/result", "tasks/list"}) {
    auto const& outlet = bench_.modern(method);
    EXPECT_EQ(outlet.error_code(), code::kMethodNotFound) << method;
    EXPECT_EQ(outlet.status, 404) << method;
  }
  for (auto const* const method :
       {"no/such", "server/discover", "subscriptions/listen", "tasks/update"}) {
    auto const& outlet = bench_.legacy(session, method);
    EXPECT_EQ(outlet.error_code(), code::kMethodNotFound) << method;
    EXPECT_EQ(outlet.status, 200) << method;
  }
}

TEST_F(DispatcherTest, MethodsOfACapabilityThatIsNotThereAreNotFound) {
  auto const session = bench_.open(Revision::V2025_11_25);

  for (auto const* const method :
       {"resources/list", "resources/read", "resources/templates/list", "prompts/list",
        "prompts/get", "completion/complete", "tasks/get", "tasks/cancel"}) {
    EXPECT_EQ(bench_.modern(method).error_code(), code::kMethodNotFound) << method;
    EXPECT_EQ(bench_.legacy(session, method).error_code(), code::kMethodNotFound) << method;
  }
}

TEST_F(DispatcherTest, AnswersWithTheIdOfTheRequest) {
  auto const& outlet = call("echo", R"({"a":1})", 42);

  EXPECT_EQ(outlet.answer.at("id"), 42);
  EXPECT_EQ(outlet.text(), R"({"a":1})");
  EXPECT_EQ(outlet.finished, 1);
  EXPECT_EQ(bench_.calls_in_flight(), 0);
}

TEST_F(DispatcherTest, AFailureOfAToolIsAResultThatTheModelCanRead) {
  for (auto const* const name : {"invalid", "denied"}) {
    auto const& outlet = call(name);
    EXPECT_EQ(outlet.result().at("isError"), true) << name;
    EXPECT_EQ(outlet.text(), "what went wrong") << name;
  }
}

TEST_F(DispatcherTest, AnInternalFailureIsAnErrorOfTheProtocol) {
  auto const& broken = call("broken");
  auto const& thrown = call("throws");

  EXPECT_EQ(broken.error_code(), code::kInternalError);
  EXPECT_EQ(broken.error_message(), "what went wrong");
  EXPECT_EQ(thrown.error_code(), code::kInternalError);
  EXPECT_EQ(thrown.error_message(), "Internal error.");
}

TEST_F(DispatcherTest, ArgumentsThatDoNotFitAreNamedByTheirPath) {
  for (auto const* const arguments : {R"({"limit":"ten"})", "{}"}) {
    auto const& outlet = call("checked", arguments);
    EXPECT_EQ(outlet.result().at("isError"), true) << arguments;
    EXPECT_THAT(outlet.text(), HasSubstr("limit")) << arguments;
  }
  EXPECT_FALSE(call("checked", R"({"limit":10})").result().contains("isError"));
  EXPECT_EQ(bench_.modern("tools/call", R"({"name":"checked"})").result().at("isError"), true);
}

TEST_F(DispatcherTest, ACallOfTheWrongShapeIsInvalidParams) {
  for (auto const* const params :
       {"{}", R"({"name":7})", R"({"name":"no_such"})", R"({"name":"echo","arguments":[]})",
        R"({"name":"echo","arguments":null})"}) {
    auto const& outlet = bench_.modern("tools/call", params);
    EXPECT_EQ(outlet.error_code(), code::kInvalidParams) << params;
    EXPECT_EQ(outlet.status, 200) << params;
  }
}

TEST_F(DispatcherTest, AToolThatTheCallerMayNotSeeIsUnknownToIt) {
  EXPECT_EQ(call("for_apps").error_code(), 0);
  bench_.principal.kind = CallerKind::App;
  EXPECT_EQ(call("for_apps").error_code(), 0);
  bench_.principal.kind = CallerKind::Model;
  EXPECT_EQ(call("for_apps").error_message(), "Unknown tool: for_apps");
}

TEST_F(DispatcherTest, AMissingCapabilityOfTheClientIsNamed) {
  auto const params = R"({"name":"needs_sampling"})";

  auto const& none = bench_.modern("tools/call", params);
  auto const& half = bench_.modern("tools/call", params, R"({"sampling":{}})");
  auto const& whole = bench_.modern("tools/call", params, R"({"sampling":{"tools":{}}})");

  for (auto const* outlet : {&none, &half}) {
    EXPECT_EQ(outlet->error_code(), code::kMissingCapability);
    EXPECT_EQ(outlet->status, 400);
    EXPECT_EQ(outlet->answer.at("error").at("data"),
              parsed(R"({"requiredCapabilities":{"sampling":{"tools":{}}}})"));
  }
  EXPECT_EQ(whole.error_code(), 0);
}

TEST_F(DispatcherTest, ANotificationCancelsAndNothingIsAnswered) {
  bench_.cancel_scope = "peer";
  auto const& outlet = call("waits", "{}", 7);

  cancel("other peer", 7);
  cancel("peer", "7");
  cancel("peer", 8);
  EXPECT_EQ(outlet.finished, 0);
  cancel("peer", 7);

  EXPECT_EQ(outlet.finished, 1);
  EXPECT_TRUE(outlet.answer.empty());
  EXPECT_EQ(bench_.calls_in_flight(), 0);
}

// A handler that turns its interruption into a result of its own must not undo the silence.
TEST_F(DispatcherTest, NothingIsSentForACancelledCallWhateverItsHandlerDoes) {
  bench_.cancel_scope = "peer";
  auto const& outlet = bench_.modern("tools/call", R"({"name":"complains",
      "_meta":{"progressToken":1,"io.modelcontextprotocol/logLevel":"debug"}})",
                                     "{}", 7);

  cancel("peer", 7);

  EXPECT_EQ(outlet.finished, 1);
  EXPECT_TRUE(outlet.answer.empty());
  EXPECT_TRUE(outlet.sent.empty());
}

TEST_F(DispatcherTest, AModernPeerThatGoesCancelsItsCall) {
  auto& outlet = call("waits");

  bench_.dispatcher().abandon(outlet, Dispatcher::PeerGone::Cancels);
  EXPECT_EQ(bench_.calls_in_flight(), 1);
  bench_.settle();

  EXPECT_EQ(bench_.calls_in_flight(), 0);
  EXPECT_EQ(outlet.finished, 0);
}

TEST_F(DispatcherTest, ALegacyPeerThatGoesLeavesItsCallRunning) {
  auto const session = bench_.open(Revision::V2025_11_25);
  auto& outlet = bench_.legacy(session, "tools/call", R"({"name":"waits"})");

  bench_.dispatcher().abandon(outlet, Dispatcher::PeerGone::LeavesRunning);
  bench_.settle();

  EXPECT_EQ(bench_.calls_in_flight(), 1);
}

// The peer may be found gone while the call's first message is sent, before the call is known.
TEST_F(DispatcherTest, APeerThatGoesWhileItsCallStartsCancelsIt) {
  auto& outlet = bench_.prepare();
  outlet.on_send = [&] { bench_.dispatcher().abandon(outlet, Dispatcher::PeerGone::Cancels); };

  bench_.modern("subscriptions/listen", R"({"notifications":{"toolsListChanged":true}})");
  bench_.settle();

  EXPECT_EQ(bench_.calls_in_flight(), 0);
}

TEST_F(DispatcherTest, TheEndOfASessionEndsItsCalls) {
  auto const session = bench_.open(Revision::V2025_11_25);
  auto const other = bench_.open(Revision::V2025_11_25);
  bench_.legacy(session, "tools/call", R"({"name":"waits"})");
  bench_.legacy(other, "tools/call", R"({"name":"waits"})");

  bench_.server().close_session(*session);
  bench_.settle();

  EXPECT_EQ(bench_.calls_in_flight(), 1);
  EXPECT_EQ(bench_.dispatcher().sessions().find(session->id()), nullptr);
}

TEST_F(DispatcherTest, StoppingAnswersEveryCallAndTakesNoOther) {
  auto const& running = call("waits");

  bench_.stop();

  EXPECT_EQ(running.error_code(), code::kInternalError);
  EXPECT_EQ(running.error_message(), "The server is shutting down.");
  auto const& late = call("echo");
  EXPECT_EQ(late.error_code(), code::kInternalError);
  EXPECT_EQ(late.status, 503);
}

TEST_F(DispatcherTest, InitializeAgreesOnARevisionThatBothHave) {
  struct Row {
    char const* asked;
    char const* agreed;
  };
  constexpr Row kRows[] = {{"2024-11-05", "2024-11-05"},
                           {"2025-03-26", "2025-03-26"},
                           {"2025-06-18", "2025-06-18"},
                           {"2025-11-25", "2025-11-25"},
                           {"2026-07-28", "2025-11-25"},
                           {"1999-01-01", "2025-11-25"},
                           {"", "2025-11-25"}};

  for (auto const& row : kRows) {
    RequestMessage const message{1, "initialize", json::Object{{"protocolVersion", row.asked}}};
    auto const opened = bench_.dispatcher().open_session(message, {});
    ASSERT_NE(opened.session, nullptr);
    auto const answer = test::parsed_object(opened.answer.body);
    EXPECT_EQ(answer.at("result").at("protocolVersion"), row.agreed) << row.asked;
    EXPECT_EQ(to_string(opened.session->agreement().revision), row.agreed);
  }
}

TEST_F(DispatcherTest, InitializeWithoutAVersionIsRefused) {
  auto const opened = bench_.dispatcher().open_session({1, "initialize", {}}, {});

  EXPECT_EQ(opened.session, nullptr);
  EXPECT_EQ(test::parsed_object(opened.answer.body).at("error").at("code"), code::kInvalidParams);
}

TEST_F(DispatcherTest, ASessionBelongsToThePrincipalThatOpenedIt) {
  bench_.principal.id = "alice";

  EXPECT_EQ(bench_.open(Revision::V2025_11_25)->agreement().principal, "alice");
}

TEST_F(DispatcherTest, ANewRegistryTakesEffectAndCallsKeepTheirOwn) {
  auto const& running = call("waits", "{}", 7);
  Registry::Builder builder;
  builder.add(tool("fresh", answers));

  bench_.server().replace_registry(builder.build().value());
  bench_.settle();

  EXPECT_EQ(call("echo").error_code(), code::kInvalidParams);
  EXPECT_EQ(call("fresh").error_code(), 0);
  EXPECT_EQ(running.finished, 0);
}

TEST_F(DispatcherTest, ParametersThatDisagreeWithTheirHeadersAreRefused) {
  struct None final : HeaderSource {
    std::string const* find(std::string_view) const override { return nullptr; }
  } const none;
  Request request{.id = 1,
                  .method = "tools/call",
                  .params = test::parsed_object(R"({"name":"mirrored","arguments":{"r":"west"}})"),
                  .headers = &none};

  auto const& outlet = bench_.handle(std::move(request));

  EXPECT_EQ(outlet.error_code(), code::kHeaderMismatch);
  EXPECT_EQ(outlet.status, 400);
}

class TightDispatcherTest : public DispatcherTest {
 protected:
  TightDispatcherTest() : DispatcherTest{limits()} {}
  static ServerOptions limits() {
    ServerOptions options;
    options.calls_per_peer = 2;
    options.call_timeout = 0s;
    return options;
  }
};

TEST_F(TightDispatcherTest, APeerHasOnlySoManyCallsInFlight) {
  bench_.cancel_scope = "peer";
  call("waits", "{}", 1);
  call("waits", "{}", 2);

  EXPECT_EQ(call("echo").error_code(), code::kInternalError);
  cancel("peer", 1);
  EXPECT_EQ(call("echo").error_code(), 0);
  bench_.cancel_scope = "another";
  EXPECT_EQ(call("echo").error_code(), 0);
}

TEST_F(TightDispatcherTest, ACallThatTakesTooLongIsEndedBySweeping) {
  auto const& slow = call("waits");
  auto const& listening =
      bench_.modern("subscriptions/listen", R"({"notifications":{"toolsListChanged":true}})");

  bench_.server().sweep();
  bench_.settle();

  EXPECT_EQ(slow.error_code(), code::kInternalError);
  EXPECT_EQ(slow.error_message(), "The call took longer than limits.call_timeout allows (0 s).");
  EXPECT_EQ(listening.finished, 0);
}

TEST_F(TightDispatcherTest, ACallWithBoundsOfItsOwnIsNotEndedBySweeping) {
  auto const& slow = call("patient");

  bench_.server().sweep();
  bench_.settle();

  EXPECT_EQ(slow.finished, 0);
}

TEST_F(TightDispatcherTest, TheTimeInWhichAUserThinksDoesNotCount) {
  auto const session = bench_.open(Revision::V2025_11_25, R"({"roots":{}})");
  auto const& asking = bench_.legacy(session, "tools/call", R"({"name":"asks"})");

  bench_.server().sweep();
  bench_.settle();

  EXPECT_EQ(asking.finished, 0);
}

}  // namespace
}  // namespace sallyport::mcp
