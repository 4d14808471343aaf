// robots.txt of real origins, as the fetch tool of the built program heeds it.
#include "tests/support/gateway.hpp"
#include "tests/support/request_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

namespace sallyport::test {
namespace {

using testing::HasSubstr;

// A site with that answer for robots.txt and a page everywhere else.
class Site {
 public:
  explicit Site(std::string robots)
      : origin{log.answering([robots = std::move(robots)](std::string const& request) {
          return RequestLog::path_of(request) == "/robots.txt" ? robots : Origin::ok("page");
        })} {}

  RequestLog log;
  Origin origin;
};

GatewayOptions with_robots(std::vector<std::string> const& places) {
  return {.egress = open(places), .fetch = "  robots: true"};
}

std::string status(int code) {
  return "HTTP/1.1 " + std::to_string(code) + " X\r\nContent-Length: 0\r\n\r\n";
}

TEST(RoadRobots, ADisallowedPathIsRefusedAndNeverAskedFor) {
  Site const site{Origin::ok("User-agent: *\nDisallow: /private\n")};
  Gateway gateway{with_robots({place(site.origin)})};

  auto const reply = gateway.fetch(site.origin.url("/private/x"));

  EXPECT_EQ(reply.code, "policy_denied");
  EXPECT_THAT(reply.text, HasSubstr("/robots.txt disallows /private/x"));
  EXPECT_EQ(site.log.count("/private/x"), 0);
  auto const records = gateway.records("fetch");
  ASSERT_EQ(records.size(), 1);
  EXPECT_EQ(records[0].text("id"), reply.call_id);
  EXPECT_EQ(records[0].text("verdict"), "denied");
  EXPECT_THAT(json::to_text(records[0].body.at("reasons")), HasSubstr("robots.txt disallows"));
}

TEST(RoadRobots, ManyCallsAskForItOnce) {
  Site const site{Origin::ok("User-agent: *\nDisallow: /private\n")};
  Gateway gateway{with_robots({place(site.origin)})};

  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(gateway.fetch(site.origin.url("/page" + std::to_string(i))).text, "page");
  }

  EXPECT_EQ(site.log.count("/robots.txt"), 1);
  EXPECT_EQ(site.log.all().size(), 21);
  EXPECT_EQ(gateway.records("robots").size(), 1);
  EXPECT_EQ(gateway.records("fetch").size(), 20);
}

TEST(RoadRobots, CallsAtTheSameTimeShareOneRequest) {
  Site const site{Origin::ok("User-agent: *\nDisallow: /private\n")};
  Gateway gateway{with_robots({place(site.origin)})};
  std::vector<std::thread> callers;
  for (int i = 0; i < 16; ++i) {
    callers.emplace_back([&] { EXPECT_EQ(gateway.fetch(site.origin.url("/page")).text, "page"); });
  }
  for (auto& caller : callers) caller.join();

  EXPECT_EQ(site.log.count("/robots.txt"), 1);
}

TEST(RoadRobots, ASiteThatFailsToGiveItDisallowsEverything) {
  for (int const code : {500, 503}) {
    Site const site{status(code)};
    Gateway gateway{with_robots({place(site.origin)})};

    auto const reply = gateway.fetch(site.origin.url("/page"));

    EXPECT_EQ(reply.code, "policy_denied") << code;
    EXPECT_THAT(reply.text, HasSubstr("could not be read because the site failed to answer"));
    EXPECT_EQ(site.log.count("/page"), 0);
  }
}

TEST(RoadRobots, ASiteThatHangsUpOnTheQuestionDisallowsEverything) {
  Origin const origin{[](Origin::Connection& peer) {
    if (peer.receive_request().starts_with("GET /robots.txt")) return;
    peer.send(Origin::ok("page"));
  }};
  Gateway gateway{with_robots({place(origin)})};

  EXPECT_EQ(gateway.fetch(origin.url("/page")).code, "policy_denied");
}

TEST(RoadRobots, ASiteThatHasNoneAllowsEverything) {
  for (int const code : {400, 401, 403, 404, 410, 429}) {
    Site const site{status(code)};
    Gateway gateway{with_robots({place(site.origin)})};
    EXPECT_EQ(gateway.fetch(site.origin.url("/page")).text, "page") << code;
  }
}

TEST(RoadRobots, OfAHugeFileTheBeginningCounts) {
  auto const filler = std::string(100, '#') + "\n";
  std::string huge = "User-agent: *\nDisallow: /early\n";
  while (huge.size() < 3UL * 1024 * 1024) huge += filler;
  huge += "Disallow: /late\n";
  Site const site{Origin::ok(huge)};
  Gateway gateway{with_robots({place(site.origin)})};

  EXPECT_EQ(gateway.fetch(site.origin.url("/early")).code, "policy_denied");
  EXPECT_EQ(gateway.fetch(site.origin.url("/late")).text, "page");
}

TEST(RoadRobots, AnEndlessFileDoesNotHoldTheCallUp) {
  Origin const origin{[](Origin::Connection& peer) {
    if (!peer.receive_request().starts_with("GET /robots.txt")) {
      peer.send(Origin::ok("page"));
      return;
    }
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    auto const chunk = "4000\r\n" + std::string(0x4000 - 1, '#') + "\n\r\n";
    while (peer.send(chunk)) {
    }
  }};
  Gateway gateway{with_robots({place(origin)})};

  EXPECT_EQ(gateway.fetch(origin.url("/page")).text, "page");
}

TEST(RoadRobots, ThatOfARedirectsTargetIsHeededToo) {
  Site const target{Origin::ok("User-agent: *\nDisallow: /private\n")};
  auto const to = target.origin.url("/private/x");
  RequestLog log;
  Origin const first{log.answering([to](std::string const& request) {
    return RequestLog::path_of(request) == "/robots.txt" ? status(404) : redirect(302, to);
  })};
  Gateway gateway{with_robots({place(first), place(target.origin)})};

  auto const reply = gateway.fetch(first.url("/start"));

  EXPECT_EQ(reply.code, "policy_denied");
  EXPECT_EQ(log.count("/start"), 1);
  EXPECT_EQ(target.log.count("/robots.txt"), 1);
  EXPECT_EQ(target.log.count("/private/x"), 0);
}

TEST(RoadRobots, ItsOwnRedirectsAreJudgedLikeAllOthers) {
  Origin const inside{Origin::answering(Origin::ok("")), {}, "127.0.0.3"};
  RequestLog log;
  Origin const origin{log.answering([&](std::string const& request) {
    return RequestLog::path_of(request) == "/robots.txt"
               ? redirect(302, inside.url("/robots.txt", "127.0.0.3"))
               : Origin::ok("page");
  })};
  Gateway gateway{with_robots({place(origin)})};

  auto const reply = gateway.fetch(origin.url("/page"));

  EXPECT_TRUE(reply.is_error);
  EXPECT_EQ(inside.connections(), 0);
  EXPECT_EQ(log.count("/page"), 0);
}

TEST(RoadRobots, GroupsAreChosenByTheUserAgentOfTheCall) {
  Site const site{Origin::ok("User-agent: goodbot\nDisallow:\n\nUser-agent: *\nDisallow: /\n")};
  Gateway gateway{with_robots({place(site.origin)})};

  EXPECT_EQ(gateway.fetch(site.origin.url("/page")).code, "policy_denied");
  EXPECT_EQ(gateway.fetch(site.origin.url("/page"), R"(,"user_agent":"GoodBot/1.0")").text, "page");
  EXPECT_EQ(site.log.count("/robots.txt"), 1);
}

}  // namespace
}  // namespace sallyport::test
