#include "src/pipeline/egress_road.hpp"

#include "src/base/task_group.hpp"
#include "src/policy/allowlist.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

namespace sallyport::pipeline {
namespace {

using testing::HasSubstr;
using testing::Not;

class Answered final : public egress::Exchange {
 public:
  Answered(egress::ResponseHead head, std::string body)
      : head_{std::move(head)}, body_{std::move(body)} {}
  egress::ResponseHead& head() noexcept override { return head_; }
  Task<std::string> read() override { co_return std::exchange(body_, {}); }
  egress::ExchangeStats stats() const override { return {}; }

 private:
  egress::ResponseHead head_;
  std::string body_;
};

// Answers in their order; the request's own headers where none is left. Or never.
struct Origins final : egress::Connector {
  std::deque<egress::ResponseHead> answers;
  std::vector<egress::Dispatch> sent;
  bool hangs{false};

  Task<std::unique_ptr<egress::Exchange>> open(egress::Dispatch dispatch,
                                               egress::ExchangeStats&) override {
    sent.push_back(dispatch);
    if (hangs) {
      Timer timer{co_await asio::this_coro::executor, Clock::time_point::max()};
      co_await timer.async_wait(use_tuple);
      co_return fail(Errc::Cancelled, "The request was cancelled.");
    }
    egress::ResponseHead head{.status = 200};
    std::string body;
    for (auto const& [name, value] : dispatch.headers) body += name + ": " + value + "\n";
    if (!answers.empty()) {
      head = answers.front();
      answers.pop_front();
    }
    co_return std::make_unique<Answered>(std::move(head), std::move(body));
  }
};

struct Everywhere final : egress::Resolver {
  Task<std::vector<url::IpAddress>> resolve(std::string, Deadline) override {
    co_return std::vector{*url::IpAddress::parse("93.184.215.14")};
  }
};

struct Records final : audit::Sink {
  mutable std::vector<audit::Record> all;
  std::function<void()> while_writing;
  Result<void> ready() const override { return {}; }
  Task<void> write(audit::Record record) override {
    // A turn of the loop, which a cancelled call must survive.
    Timer timer{co_await asio::this_coro::executor, Clock::now()};
    if (while_writing) asio::post(timer.get_executor(), while_writing);
    auto const [interrupted] = co_await timer.async_wait(use_tuple);
    EXPECT_FALSE(interrupted);
    all.push_back(std::move(record));
    co_return Result<void>{};
  }
};

struct Bench {
  Origins origins;
  Records records;
  policy::AllowlistOptions rules;
  std::vector<credentials::Rule> credentials;

  enum class Cancel { Never, WhileSending, WhileWriting };

  Result<OutboundAnswer> send(OutboundRequest request, Cancel cancel = Cancel::Never) {
    egress::Guard const guard;
    policy::Allowlist policy{rules};
    credentials::Injector const injector{credentials};
    Limiter limiter{{}};
    EventLoops loops{1};
    std::vector<std::unique_ptr<egress::Resolver>> resolvers;
    resolvers.push_back(std::make_unique<Everywhere>());
    EgressRoad road{{.guard = guard,
                     .connector = origins,
                     .policy = policy,
                     .injector = injector,
                     .limiter = limiter,
                     .audit = records},
                    loops,
                    std::move(resolvers)};
    RequestContext nobody;
    nobody.session = "0123456789abcdef";
    Passage const passage{
        .request = &nobody, .operation = "fetch", .purpose = "fetch", .tool = "fetch"};
    Result<OutboundAnswer> outcome = fail(Errc::Internal, "The call did not end.");
    TaskGroup group{loops.executor(0), [](std::string_view, Error const&) {}};
    auto const run = [&]() -> Task<void> {
      outcome = co_await road.send(passage, std::move(request));
      loops.finish();
      co_return Result<void>{};
    };
    auto const child = group.spawn("call", run());
    auto const stop = [child] { child->emit(asio::cancellation_type::terminal); };
    if (cancel == Cancel::WhileSending) asio::post(loops.executor(0), stop);
    if (cancel == Cancel::WhileWriting) records.while_writing = stop;
    loops.run();
    return outcome;
  }
  audit::Record const& record() {
    EXPECT_EQ(records.all.size(), 1U);
    return records.all.front();
  }
};

egress::ResponseHead redirect_to(std::string location) {
  return {.status = 302, .headers = {{"Location", std::move(location)}}};
}

TEST(EgressRoad, WritesOneRecordOfEveryCall) {
  struct Case {
    OutboundRequest request;
    std::string_view code;
  };
  for (auto const& [request, code] :
       {Case{{.url = "http://a.example/"}, ""},
        Case{{.method = "G T", .url = "http://a.example/"}, "invalid_input"},
        Case{{.url = "http://a.example/", .headers = {{"Host", "x"}}}, "invalid_input"},
        Case{{.url = "http://[", .headers = {}}, "invalid_input"},
        Case{{.url = "http://u@a.example/"}, "invalid_input"},
        Case{{.url = "ftp://a.example/"}, "egress_blocked"},
        Case{{.url = "http://127.0.0.1/"}, "egress_blocked"},
        Case{{.url = "http://a.example/", .body = "xx", .request_bytes = 1}, "limit_exceeded"}}) {
    Bench bench;
    auto const answer = bench.send(request);
    EXPECT_EQ(answer.has_value(), code.empty()) << request.url;
    EXPECT_EQ(bench.record().error_code, code) << request.url;
    EXPECT_EQ(bench.record().verdict,
              code.empty() ? audit::Verdict::Allowed : audit::Verdict::Denied);
    EXPECT_EQ(bench.record().hops.size(), 1U);
    EXPECT_EQ(bench.record().session, "01234567");
  }
}

TEST(EgressRoad, WritesARecordOfACallThatWasCancelled) {
  Bench bench;
  bench.origins.hangs = true;
  auto const answer = bench.send({.url = "http://a.example/"}, Bench::Cancel::WhileSending);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::Cancelled);
  EXPECT_EQ(bench.record().error_code, "cancelled");
}

TEST(EgressRoad, NoticesThatACallWasCancelledWhileItsRecordWasWritten) {
  Bench bench;
  auto const answer = bench.send({.url = "http://a.example/"}, Bench::Cancel::WhileWriting);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Errc::Cancelled);
  EXPECT_EQ(bench.record().error_code, "");
}

TEST(EgressRoad, ARefusedRedirectIsADenial) {
  for (auto const* const location : {"http://10.0.0.1/", "file:///etc/passwd"}) {
    Bench bench;
    bench.origins.answers = {redirect_to(location)};
    EXPECT_FALSE(bench.send({.url = "http://a.example/"}));
    EXPECT_EQ(bench.record().verdict, audit::Verdict::Denied) << location;
    EXPECT_EQ(bench.record().status, 302) << location;
  }
}

TEST(EgressRoad, KeepsTokensInPathsAndQueriesOutOfTheLog) {
  constexpr auto kToken = "xoxb-8Jd92KsLq01ZmVbT7yRw";
  auto const url = std::string{"https://a.example/hook/"} + kToken + "?key=" + kToken;
  Bench denied;
  denied.rules.allow = {{.reach = {.hosts = {"b.example"}}}};
  Bench looping;
  looping.origins.answers = {6, redirect_to(url)};
  for (auto* const bench : {&denied, &looping}) {
    auto const answer = bench->send({.url = url});
    ASSERT_FALSE(answer);
    auto const& record = bench->record();
    EXPECT_THAT(record.error, Not(HasSubstr(kToken)));
    EXPECT_THAT(record.reasons, testing::Each(Not(HasSubstr(kToken))));
    for (auto const& hop : record.hops) EXPECT_THAT(hop.url, Not(HasSubstr(kToken)));
  }
}

TEST(EgressRoad, HidesInjectedCredentialsThatAnOriginRepeats) {
  Bench bench;
  bench.credentials = {{.reach = {.hosts = {"a.example"}},
                        .header = "Authorization",
                        .source = credentials::fixed_source(Secret{"Bearer operators-token"})}};
  auto const answer =
      bench.send({.url = "https://a.example/", .headers = {{"X-Own", "mine-123456"}}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(bench.origins.sent.front().headers.count("Authorization"), 1U);
  EXPECT_THAT(answer->body, HasSubstr("X-Own: mine-123456\n"));
  EXPECT_THAT(answer->body, HasSubstr("Authorization: Bearer ***************\n"));
}

TEST(EgressRoad, AsksForRobotsTxtUnderTheNameOfTheCall) {
  Bench bench;
  bench.origins.answers = {{.status = 404}, {.status = 200}};
  ASSERT_TRUE(bench.send({.url = "http://a.example/x",
                          .headers = {{"User-Agent", "Bot/1"}, {"X-Own", "1"}},
                          .robots = true}));
  ASSERT_EQ(bench.origins.sent.size(), 2U);
  auto const& robots = bench.origins.sent.front();
  EXPECT_EQ(robots.url.path(), "/robots.txt");
  EXPECT_EQ(*robots.headers.find("User-Agent"), "Bot/1");
  EXPECT_EQ(robots.headers.find("X-Own"), nullptr);
  EXPECT_EQ(bench.records.all.size(), 2U);
}

}  // namespace
}  // namespace sallyport::pipeline
