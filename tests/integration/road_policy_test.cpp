// Rules and credentials from a settings file: what the caller, the origin, the log and the audit
// log see of them.
#include "tests/support/gateway.hpp"
#include "tests/support/request_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::test {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string reasons_of(AuditEntry const& record) {
  return json::to_text(record.body.at("reasons"));
}

class RoadPolicy : public testing::Test {
 protected:
  std::string here() const { return open({place(origin_)}); }

  RequestLog log_;
  Origin origin_{log_.answering(Origin::ok("page"))};
};

TEST_F(RoadPolicy, OnlyWhatARuleAllowsIsReached) {
  Gateway gateway{{.egress = here() + "  allow:\n  - name: documentation\n    methods: [GET]\n"
                                      "    path_prefixes: [/docs]\n"}};

  EXPECT_EQ(gateway.fetch(origin_.url("/docs/a")).text, "page");
  auto const elsewhere = gateway.fetch(origin_.url("/admin"));
  auto const posted = gateway.fetch(origin_.url("/docs/a"), R"(,"method":"POST","body":"x")");

  EXPECT_EQ(elsewhere.code, "policy_denied");
  EXPECT_EQ(elsewhere.text, "Error: Policy does not allow GET " + origin_.url("/admin") +
                                ": no rule of egress.allow holds GET http://" + place(origin_) +
                                ".");
  EXPECT_EQ(posted.code, "policy_denied");
  EXPECT_EQ(log_.all().size(), 1);
  auto const records = gateway.records();
  ASSERT_EQ(records.size(), 3);
  EXPECT_EQ(records[0].text("verdict"), "allowed");
  EXPECT_EQ(reasons_of(records[0]), R"(["rule \"documentation\" of egress.allow"])");
  EXPECT_EQ(records[1].text("verdict"), "denied");
  EXPECT_THAT(reasons_of(records[1]), HasSubstr("no rule of egress.allow holds GET"));
  EXPECT_EQ(records[1].text("id"), elsewhere.call_id);
}

TEST_F(RoadPolicy, ADenialOutranksAnAllowance) {
  Gateway gateway{{.egress = here() + "  allow:\n  - hosts: [127.0.0.1]\n"
                                      "  deny:\n  - name: closed\n    path_prefixes: [/admin]\n"}};

  for (auto const* path : {"/admin", "/admin/x", "/%61dmin", "/x/../admin", "//admin"}) {
    auto const reply = gateway.fetch(origin_.url(path));
    EXPECT_EQ(reply.code, "policy_denied") << path;
    EXPECT_THAT(reply.text, HasSubstr("rule \"closed\" of egress.deny")) << path;
  }
  EXPECT_EQ(gateway.fetch(origin_.url("/administrator")).text, "page");
  EXPECT_EQ(log_.all().size(), 1);
  EXPECT_EQ(reasons_of(gateway.records().front()), R"(["rule \"closed\" of egress.deny"])");
}

TEST_F(RoadPolicy, AllowingAPlaceDoesNotOpenIt) {
  Origin const closed{Origin::answering(Origin::ok("SECRET"))};
  Gateway gateway{{.egress = here() + "  allow:\n  - hosts: [127.0.0.1]\n"}};

  EXPECT_EQ(gateway.fetch(closed.url()).code, "egress_blocked");
  EXPECT_EQ(closed.connections(), 0);
  auto const record = gateway.records().front();
  EXPECT_EQ(record.text("verdict"), "denied");
  EXPECT_THAT(reasons_of(record), HasSubstr("loopback"));
}

// Of a request's headers, logs and records have nothing by which one could pretend to be its
// sender.
TEST_F(RoadPolicy, WhatACallerProvesItselfWithIsNeverWritten) {
  constexpr auto const* kToken = "token-of-ada-that-is-long-enough";
  constexpr auto const* kWrong = "token-of-nobody-that-is-long-enough";
  Gateway gateway{{.egress = here(),
                   .more = "auth:\n  tokens:\n  - principal: ada\n    token_env: TEST_TOKEN\n",
                   .environment = {std::string{"TEST_TOKEN="} + kToken}}};
  auto const ask_as = [&](std::string const& token) {
    auto message = Gateway::fetch_call(origin_.url());
    message.fields = {{"Authorization", "Bearer " + token}, {"Cookie", "session=" + token}};
    return gateway.call(message);
  };

  auto const served = ask_as(kToken);
  auto const refused = ask_as(kWrong);
  RawClient legacy_client{gateway.port()};
  legacy_client.send(post(legacy("1", "initialize",
                                 R"({"protocolVersion":"2025-06-18",)"
                                 R"("capabilities":{},"clientInfo":)"
                                 R"({"name":"c","version":"1"}})"),
                          {{"Authorization", std::string{"Bearer "} + kToken}}));
  auto const begun = legacy_client.receive();

  EXPECT_EQ(served.text, "page");
  EXPECT_EQ(refused.http_status, 401);
  EXPECT_EQ(begun.status, 200);
  EXPECT_THAT(log_.all().at(0), Not(HasSubstr(kToken)));  // it is for us, not for the origin
  EXPECT_EQ(gateway.records().at(0).text("principal"), "ada") << gateway.records().at(0).all();
  EXPECT_EQ(gateway.stop(), 0);
  auto const written = gateway.written() + served.whole + refused.whole + begun.body;
  EXPECT_THAT(written, Not(HasSubstr(kToken)));
  EXPECT_THAT(written, Not(HasSubstr(kWrong)));
}

constexpr auto const* kSecret = "s3cr3t-that-nobody-may-see";

class RoadInjection : public RoadPolicy {
 protected:
  static std::string rule(std::string const& source) {
    return "  inject:\n  - name: key of the shop\n    header: X-Api-Key\n    " + source +
           "\n    hosts: [127.0.0.1]\n    schemes: [http]\n";
  }
};

TEST_F(RoadInjection, TheSecretReachesTheOriginAndNobodyElse) {
  // Also where things go wrong, in all the ways that make somebody write something.
  Origin const broken{Origin::answering_once("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx")};
  Origin const failing{Origin::answering("HTTP/1.1 500 Oops\r\nContent-Length: 4\r\n\r\nfail")};
  Origin const looping{Origin::answering(redirect(302, "/again"))};
  Origin const garbage{Origin::answering_once("garbage\r\n\r\n")};
  Gateway gateway{
      {.egress =
           open({place(origin_), place(broken), place(failing), place(looping), place(garbage)}) +
           rule("value_env: TEST_KEY_OF_THE_SHOP") + "  deny:\n  - path_prefixes: [/closed]\n",
       .environment = {std::string{"TEST_KEY_OF_THE_SHOP="} + kSecret}}};
  std::string told;

  for (auto const& url : {origin_.url(), broken.url(), failing.url(), looping.url(), garbage.url(),
                          origin_.url("/closed")}) {
    told += gateway.fetch(url).whole;
  }

  ASSERT_EQ(log_.all().size(), 1);
  EXPECT_THAT(log_.all().front(), HasSubstr(std::string{"X-Api-Key: "} + kSecret));
  EXPECT_THAT(told, HasSubstr("page"));
  EXPECT_THAT(told, Not(HasSubstr(kSecret)));
  auto const record = gateway.records().front();
  EXPECT_THAT(json::to_text(record.hops().front()), HasSubstr("x-api-key"));
  EXPECT_THAT(json::to_text(record.hops().front()), HasSubstr("injected"));
  EXPECT_THAT(gateway.written(), Not(HasSubstr(kSecret)));
  EXPECT_EQ(gateway.stop(), 0);
  EXPECT_THAT(gateway.written(), HasSubstr("audit log closed"));
  EXPECT_THAT(gateway.written(), Not(HasSubstr(kSecret)));
}

TEST_F(RoadInjection, AHeaderOfTheCallerIsKeptUnlessTheRuleOverrides) {
  auto const* const own = R"(,"headers":{"X-Api-Key":"mine"})";
  {
    Gateway gateway{{.egress = here() + rule("value: " + std::string{kSecret})}};
    gateway.fetch(origin_.url(), own);
    EXPECT_THAT(log_.all().back(), HasSubstr("X-Api-Key: mine\r\n"));
    EXPECT_THAT(log_.all().back(), Not(HasSubstr(kSecret)));
  }
  Gateway gateway{{.egress = here() + rule("override: true\n    value: " + std::string{kSecret})}};
  gateway.fetch(origin_.url(), own);
  EXPECT_THAT(log_.all().back(), HasSubstr(kSecret));
  EXPECT_THAT(log_.all().back(), Not(HasSubstr("mine")));
}

TEST_F(RoadInjection, ARuleForHttpsIsNotUsedOverHttp) {
  Gateway gateway{{.egress = here() + "  inject:\n  - header: X-Api-Key\n    value: " + kSecret +
                             "\n    hosts: [127.0.0.1]\n"}};

  EXPECT_EQ(gateway.fetch(origin_.url()).text, "page");

  EXPECT_THAT(log_.all().back(), Not(HasSubstr("X-Api-Key")));
}

}  // namespace
}  // namespace sallyport::test
