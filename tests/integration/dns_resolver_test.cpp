// The resolver against a DNS server of the test's own: real sockets, real c-ares.
#include "src/egress/dns_resolver.hpp"

#include "tests/support/dns_server.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

namespace sallyport::egress {
namespace {

using namespace std::chrono_literals;
using test::DnsReply;
using test::DnsServer;
using test::DnsType;

using Answer = std::optional<Result<std::vector<url::IpAddress>>>;

class DnsResolverTest : public testing::Test {
 protected:
  void SetUp() override { start({}); }
  ~DnsResolverTest() override {
    resolver.reset();
    loop.restart();
    loop.run();
  }

  void start(DnsOptions options) {
    options.servers = {dns.address()};
    auto made = DnsResolver::create(loop.get_executor(), std::move(options));
    ASSERT_TRUE(made) << made.error().message;
    resolver = std::move(*made);
  }

  // Starts a look-up whose answer appears in `answer`.
  void ask(std::string host, Answer& answer, Deadline deadline = {},
           asio::cancellation_slot stop = {}) {
    asio::co_spawn(loop, capture(resolver->resolve(std::move(host), deadline)),
                   asio::bind_cancellation_slot(
                       stop, [&answer](auto, auto result) { answer = std::move(result); }));
  }

  Result<std::vector<url::IpAddress>> resolve(std::string host, Deadline deadline = {}) {
    Answer answer;
    ask(std::move(host), answer, deadline);
    loop.restart();
    while (!answer) loop.run_one();
    return *answer;
  }

  std::string text(std::string host) {
    auto const found = resolve(std::move(host));
    if (!found) return found.error().message;
    std::string all;
    for (auto const& address : *found) all += address.to_string() + " ";
    return all;
  }

  DnsServer dns;
  asio::io_context loop{1};
  std::unique_ptr<DnsResolver> resolver;
};

TEST_F(DnsResolverTest, GivesTheAddressesOfBothFamilies) {
  dns.answer("a.example", {.addresses = {"2001:db8::1", "192.0.2.1", "192.0.2.2"}});

  EXPECT_EQ(text("a.example"), "192.0.2.1 192.0.2.2 2001:db8::1 ");
}

TEST_F(DnsResolverTest, AsksOnceWithinTheTtlWithOrWithoutTheLastDot) {
  dns.answer("a.example", {.addresses = {"192.0.2.1"}, .ttl = 60});

  EXPECT_EQ(text("a.example"), "192.0.2.1 ");
  EXPECT_EQ(text("a.example."), "192.0.2.1 ");

  EXPECT_EQ(dns.questions("a.example"), 2);
}

TEST_F(DnsResolverTest, ARebindingNameIsBelievedForItsTtlAndAskedAgainAfter) {
  dns.sequence("r.example",
               {{.addresses = {"192.0.2.1"}, .ttl = 1}, {.addresses = {"127.0.0.1"}, .ttl = 1}});

  EXPECT_EQ(text("r.example"), "192.0.2.1 ");
  EXPECT_EQ(text("r.example"), "192.0.2.1 ");
  std::this_thread::sleep_for(1'050ms);
  EXPECT_EQ(text("r.example"), "127.0.0.1 ");
}

TEST_F(DnsResolverTest, ATtlOfZeroIsNotRemembered) {
  dns.sequence("r.example",
               {{.addresses = {"192.0.2.1"}, .ttl = 0}, {.addresses = {"127.0.0.1"}, .ttl = 0}});

  EXPECT_EQ(text("r.example"), "192.0.2.1 ");
  EXPECT_EQ(text("r.example"), "127.0.0.1 ");
}

TEST_F(DnsResolverTest, FollowsAliasesAndBelievesThemForTheShortestTtlOfTheChain) {
  dns.answer("www.example", {.ttl = 0, .alias = "cdn.example"});
  dns.answer("cdn.example", {.addresses = {"192.0.2.7"}, .ttl = 600});

  EXPECT_EQ(text("www.example"), "192.0.2.7 ");
  EXPECT_EQ(text("www.example"), "192.0.2.7 ");

  EXPECT_EQ(dns.questions("www.example"), 4);
}

TEST_F(DnsResolverTest, LooksUpANameOnceForAllWhoAskAtTheSameTime) {
  dns.answer("a.example", {.addresses = {"192.0.2.1"}, .ttl = 0});
  std::array<Answer, 20> answers;
  for (auto& answer : answers) ask("a.example", answer);

  loop.restart();
  loop.run();

  for (auto const& answer : answers) {
    ASSERT_TRUE(answer && *answer);
    EXPECT_EQ((**answer).size(), 1);
  }
  EXPECT_EQ(dns.questions("a.example"), 2);
}

TEST_F(DnsResolverTest, ANameThatDoesNotExistIsAFailureThatIsRememberedForAMoment) {
  auto const found = resolve("x.example");

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::UpstreamFailed);
  EXPECT_EQ(found.error().message, "The name x.example does not exist.");
  EXPECT_EQ(text("x.example"), "The name x.example does not exist.");
  EXPECT_EQ(dns.questions("x.example"), 2);
}

TEST_F(DnsResolverTest, ANameWithoutAddressesIsAFailure) {
  dns.answer("empty.example", {});

  EXPECT_EQ(text("empty.example"), "The name empty.example has no address.");
}

TEST_F(DnsResolverTest, AServersFailureIsSaid) {
  dns.answer("broken.example", {.reply = DnsReply::ServerFailure});

  EXPECT_EQ(text("broken.example"), "DNS could not answer for broken.example.");
}

TEST_F(DnsResolverTest, OneFamilyIsEnoughWhenTheOtherFails) {
  dns.answer("half.example", {.addresses = {"192.0.2.1"}});
  dns.answer("half.example", DnsType::Aaaa, {.reply = DnsReply::ServerFailure});

  EXPECT_EQ(text("half.example"), "192.0.2.1 ");
}

TEST_F(DnsResolverTest, OneFamilyIsEnoughWhenTheOtherIsSilent) {
  dns.answer("half.example", {.addresses = {"192.0.2.1"}});
  dns.answer("half.example", DnsType::Aaaa, {.reply = DnsReply::Silence});
  auto const start = Clock::now();

  EXPECT_EQ(text("half.example"), "192.0.2.1 ");

  EXPECT_LT(Clock::now() - start, 3s);
}

TEST_F(DnsResolverTest, AsksByTcpWhenAnAnswerIsTruncated) {
  dns.answer("big.example", {.addresses = {"192.0.2.1"}, .truncated = true});

  EXPECT_EQ(text("big.example"), "192.0.2.1 ");

  EXPECT_EQ(dns.tcp_questions(), 2);
}

TEST_F(DnsResolverTest, AServerThatIsSilentEndsTheLookUpInTime) {
  start({.timeout = 100ms});
  dns.answer("slow.example", {.reply = DnsReply::Silence});
  auto const start = Clock::now();

  auto const found = resolve("slow.example");

  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Errc::UpstreamFailed);
  EXPECT_EQ(found.error().message, "DNS did not answer for slow.example in time.");
  EXPECT_LT(Clock::now() - start, 2s);
}

TEST_F(DnsResolverTest, TheDeadlineOfOneWhoWaitsIsNotThatOfTheOthers) {
  dns.answer("slow.example", DnsType::Aaaa, {.reply = DnsReply::Silence});
  dns.answer("slow.example", DnsType::A, {.addresses = {"192.0.2.1"}});
  Answer hasty;
  Answer patient;
  ask("slow.example", hasty, Deadline::in(20ms));
  ask("slow.example", patient);

  loop.restart();
  while (!hasty || !patient) loop.run_one();

  ASSERT_TRUE(hasty && patient);
  ASSERT_FALSE(*hasty);
  EXPECT_EQ(hasty->error().code, Errc::DeadlineExceeded);
  EXPECT_TRUE(*patient);
}

TEST_F(DnsResolverTest, WhoIsCancelledLeavesTheOthersWaiting) {
  dns.answer("a.example", {.addresses = {"192.0.2.1"}});
  asio::cancellation_signal stop;
  Answer cancelled;
  Answer other;
  ask("a.example", cancelled, {}, stop.slot());
  ask("a.example", other);
  asio::post(loop, [&] { stop.emit(asio::cancellation_type::terminal); });

  loop.restart();
  loop.run();

  ASSERT_TRUE(cancelled && other);
  ASSERT_FALSE(*cancelled);
  EXPECT_EQ(cancelled->error().code, Errc::Cancelled);
  EXPECT_TRUE(*other);
}

TEST_F(DnsResolverTest, WhoWaitsIsCancelledWhenTheResolverGoes) {
  dns.answer("slow.example", {.reply = DnsReply::Silence});
  std::array<Answer, 3> answers;
  for (auto& answer : answers) ask("slow.example", answer);
  loop.restart();
  loop.poll();

  resolver.reset();
  loop.restart();
  loop.run();

  for (auto const& answer : answers) {
    ASSERT_TRUE(answer);
    ASSERT_FALSE(*answer);
    EXPECT_EQ(answer->error().code, Errc::Cancelled);
  }
}

TEST_F(DnsResolverTest, OnceStoppedItDoesNotKeepTheLoop) {
  dns.answer("slow.example", {.reply = DnsReply::Silence});
  std::array<Answer, 2> answers;
  ask("slow.example", answers[0]);
  loop.restart();
  loop.poll();

  resolver->stop();
  ask("other.example", answers[1]);
  auto const begin = Clock::now();
  loop.restart();
  loop.run();

  EXPECT_LT(Clock::now() - begin, 1s);
  for (auto const& answer : answers) {
    ASSERT_TRUE(answer);
    ASSERT_FALSE(*answer);
    EXPECT_EQ(answer->error().code, Errc::Cancelled);
  }
  EXPECT_EQ(dns.questions("other.example"), 0);
}

TEST_F(DnsResolverTest, ALoopCanGoWithLookUpsUnderWay) {
  dns.answer("slow.example", {.reply = DnsReply::Silence});
  Answer answer;
  {
    asio::io_context other{1};
    auto own = DnsResolver::create(other.get_executor(), {.servers = {dns.address()}});
    ASSERT_TRUE(own);
    asio::co_spawn(other, (*own)->resolve("slow.example", {}),
                   [&answer](auto, auto result) { answer = std::move(result); });
    other.poll();
  }

  EXPECT_FALSE(answer);
}

TEST_F(DnsResolverTest, LocalhostIsThisMachineWithoutAsking) {
  EXPECT_EQ(text("localhost"), "127.0.0.1 ::1 ");
  EXPECT_EQ(text("app.localhost."), "127.0.0.1 ::1 ");
  EXPECT_EQ(dns.questions("localhost"), 0);
}

TEST_F(DnsResolverTest, NamesInTheHostsFileAreAskedForLikeAllOthers) {
  std::ifstream hosts{"/etc/hosts"};
  for (std::string line; std::getline(hosts, line);) {
    std::istringstream words{line.substr(0, line.find('#'))};
    std::string name;
    for (words >> name; words >> name;) {
      if (name.ends_with("localhost") && name != "ip6-localhost") continue;
      EXPECT_EQ(text(name), "The name " + name + " does not exist.");
      EXPECT_EQ(dns.questions(name), 2) << name;
    }
  }
}

TEST(DnsResolver, RefusesAServerThatIsNoAddress) {
  asio::io_context loop{1};
  for (std::string const server :
       {"dns.example", "127.0.0.1:0", "127.0.0.1:99999", "[127.0.0.1]:53", "9.9.9.9,8.8.8.8", ""}) {
    auto const made = DnsResolver::create(loop.get_executor(), {.servers = {server}});

    ASSERT_FALSE(made) << server;
    EXPECT_EQ(made.error().code, Errc::InvalidInput);
  }
  for (std::string const server : {"9.9.9.9", "127.0.0.1:5353", "::1", "[::1]", "[::1]:53"}) {
    EXPECT_TRUE(DnsResolver::create(loop.get_executor(), {.servers = {server}})) << server;
  }
}

}  // namespace
}  // namespace sallyport::egress
