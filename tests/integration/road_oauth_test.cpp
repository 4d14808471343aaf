// Access tokens by client credentials, from the settings to the wire: what the token endpoint and
// the site were sent, and that nobody else sees any of it.
#include "tests/support/gateway.hpp"
#include "tests/support/request_log.hpp"
#include "tests/support/token_endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>
#include <thread>

namespace sallyport::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

constexpr auto const* kClientSecret = "s3cr3t-that-nobody-may-see";

// "Bearer …"; empty without one.
std::string token_in(std::string const& request) {
  auto const at = request.find("Authorization: ");
  return at == std::string::npos ? "" : request.substr(at + 15, request.find('\r', at) - at - 15);
}

class RoadOauth : public testing::Test {
 protected:
  // The rule of the seed, for the site; `fields` are more of `auth`, `beside` of the rule.
  std::string rule(std::string const& fields = "", std::string const& beside = "") const {
    return open({place(site_)}) + R"(  inject:
  - name: shop
    host: 127.0.0.1
    schemes: [http]
    ports: [)" +
           std::to_string(site_.port()) + "]\n" + beside + R"(    auth:
      type: oauth_client_credentials
      token_url: )" +
           endpoint_.url() + R"(
      client_id: agent
      client_secret: env:TEST_CLIENT_SECRET
)" + fields;
  }
  static GatewayOptions options(std::string egress) {
    return {.egress = std::move(egress),
            .environment = {std::string{"TEST_CLIENT_SECRET="} + kClientSecret}};
  }
  std::string last_token() const { return token_in(log_.all().back()); }

  TokenEndpoint endpoint_;
  RequestLog log_;
  Origin site_{log_.answering([this](std::string const& request) { return answer(request); })};
  std::function<std::string(std::string const&)> answer = [](std::string const&) {
    return Origin::ok("page");
  };
};

// The sequence of the documentation: token, policy, request, answer.
TEST_F(RoadOauth, ACallGetsItsTokenAndTheNextOneUsesItAgain) {
  Gateway gateway{options(rule("      scope: read write\n"))};

  auto const reply = gateway.fetch(site_.url("/data"));
  auto const again = gateway.fetch(site_.url("/data"));

  EXPECT_EQ(reply.text, "page");
  EXPECT_EQ(again.text, "page");
  ASSERT_THAT(endpoint_.sent(), SizeIs(1));
  auto const sent = endpoint_.sent().front();
  EXPECT_THAT(sent.request, HasSubstr("POST /token HTTP/1.1\r\n"));
  EXPECT_THAT(sent.request, HasSubstr("Content-Type: application/x-www-form-urlencoded\r\n"));
  EXPECT_EQ(sent.form(),
            std::string{"grant_type=client_credentials&scope=read+write&client_id=agent&"
                        "client_secret="} +
                kClientSecret);
  ASSERT_THAT(log_.all(), SizeIs(2));
  for (auto const& request : log_.all()) EXPECT_EQ(token_in(request), "Bearer issued-token-1");
  auto const tokens = gateway.records("oauth token");
  ASSERT_THAT(tokens, SizeIs(1));
  EXPECT_EQ(tokens[0].hop(0, "method"), "POST");
  EXPECT_EQ(tokens[0].hop(0, "url"), endpoint_.url());
  EXPECT_THAT(json::to_text(gateway.records("fetch")[0].hops()[0]),
              HasSubstr(R"("injected":["Authorization"])"));
}

TEST_F(RoadOauth, NeitherSecretNorTokenIsSeenByAnybodyElse) {
  answer = [](std::string const& request) {
    return RequestLog::path_of(request) == "/broken" ? "garbage\r\n\r\n" : Origin::ok("page");
  };
  Gateway gateway{options(rule() + "  deny:\n  - path_prefixes: [/closed]\n")};
  std::string told;

  for (auto const* const path : {"/", "/broken", "/closed"}) {
    told += gateway.fetch(site_.url(path)).whole;
  }
  endpoint_.will(TokenEndpoint::refusal(400, kClientSecret));

  EXPECT_THAT(told, HasSubstr("page"));
  EXPECT_EQ(gateway.stop(), 0);
  told += gateway.written();
  EXPECT_THAT(told, HasSubstr("audit log closed"));
  EXPECT_THAT(told, Not(HasSubstr(kClientSecret)));
  EXPECT_THAT(told, Not(HasSubstr("issued-token")));
}

TEST_F(RoadOauth, RulesOfAVariableWorkAndTheirSecretsStayThere) {
  auto const port = std::to_string(site_.port());
  auto settings = options(open({place(site_)}));
  settings.environment = {
      R"(SALLYPORT_EGRESS_INJECT=[{"host":"127.0.0.1","schemes":["http"],"headers":{"X-Key":")" +
      std::string{kClientSecret} + R"("}},{"host":"127.0.0.1","schemes":["http"],"ports":[)" +
      port + R"(],"auth":{"type":"oauth_client_credentials","token_url":")" + endpoint_.url() +
      R"(","client_id":"agent","client_secret":")" + kClientSecret + R"("}}])"};
  Gateway gateway{settings};

  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");

  EXPECT_THAT(log_.all().back(), HasSubstr(std::string{"X-Key: "} + kClientSecret + "\r\n"));
  EXPECT_EQ(last_token(), "Bearer issued-token-1");
  EXPECT_EQ(gateway.stop(), 0);
  EXPECT_THAT(gateway.written(), Not(HasSubstr(kClientSecret)));
}

TEST_F(RoadOauth, RenewsWithARefreshTokenAndFallsBackToTheFirstGrant) {
  auto const brief = [](std::string const& refresh) {
    return R"(,"expires_in":1,"refresh_token":")" + refresh + "\"";
  };
  endpoint_.will(TokenEndpoint::token("first-token", brief("r1")));
  endpoint_.will(TokenEndpoint::token("second-token", R"(,"expires_in":1)"));  // keeps r1
  endpoint_.will(TokenEndpoint::token("third-token", brief("r2")));
  endpoint_.will(TokenEndpoint::refusal(400, "invalid_grant"));
  endpoint_.will(TokenEndpoint::token("fourth-token"));
  Gateway gateway{options(rule("      scope: read\n"))};

  std::string used;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(gateway.fetch(site_.url()).text, "page");
    used += last_token() + "; ";
  }

  EXPECT_EQ(used,
            "Bearer first-token; Bearer second-token; Bearer third-token; Bearer fourth-token; "
            "Bearer fourth-token; ");
  EXPECT_EQ(endpoint_.grants(),
            "client_credentials refresh_token:r1 refresh_token:r1 refresh_token:r2 "
            "client_credentials");
  EXPECT_EQ(endpoint_.sent()[1].field("scope"), "");
  EXPECT_EQ(endpoint_.sent()[1].field("client_secret"), kClientSecret);
  EXPECT_EQ(endpoint_.sent()[4].field("scope"), "read");
}

TEST_F(RoadOauth, UsesAnOpaqueTokenThatDoesNotSayWhenItExpires) {
  endpoint_.will(TokenEndpoint::token("opaque-token", ""));
  Gateway gateway{options(rule())};

  for (int i = 0; i < 3; ++i) EXPECT_EQ(gateway.fetch(site_.url()).text, "page");

  EXPECT_EQ(endpoint_.calls(), 1);
  EXPECT_EQ(last_token(), "Bearer opaque-token");
}

TEST_F(RoadOauth, CallsOnAllLoopsShareOneTokenCall) {
  endpoint_.hold();
  auto settings = options(rule());
  settings.loops = 4;
  Gateway gateway{settings};
  std::vector<std::future<Reply>> replies;
  for (int i = 0; i < 12; ++i) {
    replies.push_back(std::async(std::launch::async, [&] { return gateway.fetch(site_.url()); }));
  }

  EXPECT_TRUE(endpoint_.wait_for_calls(1));
  std::this_thread::sleep_for(std::chrono::milliseconds{200});
  endpoint_.let_go();

  for (auto& reply : replies) EXPECT_EQ(reply.get().text, "page");
  EXPECT_EQ(endpoint_.calls(), 1);
  EXPECT_THAT(log_.all(), SizeIs(12));
}

TEST_F(RoadOauth, WhoHangsUpDoesNotTakeTheTokenFromTheOthers) {
  endpoint_.hold();
  Gateway gateway{options(rule())};
  {
    RawClient hasty{gateway.port()};
    hasty.send(Gateway::fetch_call(site_.url("/hasty")).http());
    EXPECT_TRUE(endpoint_.wait_for_calls(1));
  }
  auto patient =
      std::async(std::launch::async, [&] { return gateway.fetch(site_.url("/patient")); });
  std::this_thread::sleep_for(std::chrono::milliseconds{200});

  endpoint_.let_go();

  EXPECT_EQ(patient.get().text, "page");
  EXPECT_EQ(endpoint_.calls(), 1);
  EXPECT_EQ(log_.count("/hasty"), 0);
}

TEST_F(RoadOauth, ACallerWithoutTimeLeftIsToldSo) {
  endpoint_.hold();
  Gateway gateway{options(rule())};

  auto const reply = gateway.fetch(site_.url(), R"(,"timeout_ms":300)");

  EXPECT_EQ(reply.code, "deadline_exceeded") << reply.text;
  EXPECT_THAT(log_.all(), IsEmpty());
}

// Whatever goes wrong there: nothing is sent without the credential, and the reason is told.
TEST_F(RoadOauth, AFailingEndpointRefusesTheCallAndTellsNothing) {
  auto const leak = std::string{"token="} + kClientSecret;
  std::string const faults[] = {
      TokenEndpoint::refusal(401, "invalid_client"),
      TokenEndpoint::refusal(400, kClientSecret),
      "HTTP/1.1 500 Oops\r\nContent-Length: " + std::to_string(leak.size()) + "\r\n\r\n" + leak,
      Origin::ok(leak),
      Origin::ok("[]"),
      Origin::ok(R"({"access_token":"a b"})"),
      Origin::ok(R"({"access_token":"aaaaaaaa\r\nX-Evil: 1"})"),
      Origin::ok(std::string(200'000, ' ') + R"({"access_token":"aaaaaaaa"})"),
      redirect(302, site_.url("/elsewhere")),
      redirect(307, site_.url("/elsewhere")),
      "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{",
      "garbage\r\n\r\n",
      "",
  };
  for (auto const& fault : faults) {
    TokenEndpoint endpoint;
    endpoint.will(fault);
    auto settings =
        options(open({place(site_)}) +
                "  inject:\n  - {name: shop, host: 127.0.0.1, "
                "schemes: [http], auth: {type: oauth_client_credentials, token_url: \"" +
                endpoint.url() +
                "\", client_id: agent, timeout: 2s, "
                "client_secret: \"env:TEST_CLIENT_SECRET\"}}\n");
    Gateway gateway{settings};

    auto const reply = gateway.fetch(site_.url());
    auto const again = gateway.fetch(site_.url());

    EXPECT_EQ(reply.code, "credential_unavailable") << fault << reply.text;
    EXPECT_THAT(reply.text, AllOf(HasSubstr("Authorization for 127.0.0.1 (rule \"shop\"): The "),
                                  HasSubstr("token endpoint"), HasSubstr("nothing was sent")));
    EXPECT_EQ(again.text, reply.text);
    EXPECT_EQ(endpoint.calls(), 1) << "a failure is remembered for a while";
    auto const told = reply.whole + again.whole + gateway.written();
    EXPECT_THAT(told, Not(HasSubstr(kClientSecret)));
    EXPECT_THAT(told, Not(HasSubstr("aaaaaaaa")));
    EXPECT_EQ(gateway.records("fetch").at(0).text("verdict"), "denied");
  }
  EXPECT_THAT(log_.all(), IsEmpty());
}

TEST_F(RoadOauth, AnEndpointThatDoesNotAnswerHasItsOwnTimeLimit) {
  endpoint_.hold();
  Gateway gateway{options(rule("      timeout: 200ms\n"))};

  auto const reply = gateway.fetch(site_.url());

  EXPECT_EQ(reply.code, "credential_unavailable");
  EXPECT_THAT(reply.text, HasSubstr("The request to the token endpoint failed."));
}

TEST_F(RoadOauth, CallersWhoWaitForAFailureAreAllTold) {
  endpoint_.hold();
  for (int i = 0; i < 4; ++i) endpoint_.will(TokenEndpoint::refusal(503, "server_error"));
  auto settings = options(rule());
  settings.loops = 2;
  Gateway gateway{settings};
  std::vector<std::future<Reply>> replies;
  for (int i = 0; i < 4; ++i) {
    replies.push_back(std::async(std::launch::async, [&] { return gateway.fetch(site_.url()); }));
  }
  EXPECT_TRUE(endpoint_.wait_for_calls(1));
  std::this_thread::sleep_for(std::chrono::milliseconds{200});

  endpoint_.let_go();

  for (auto& reply : replies) EXPECT_EQ(reply.get().code, "credential_unavailable");
  EXPECT_EQ(endpoint_.calls(), 1);
  EXPECT_THAT(log_.all(), IsEmpty());
}

TEST_F(RoadOauth, ARuleMayLetACallGoWithoutItsToken) {
  endpoint_.will(TokenEndpoint::refusal(503, "server_error"));
  Gateway gateway{options(rule("", "    on_failure: continue\n"))};

  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");

  ASSERT_THAT(log_.all(), SizeIs(1));
  EXPECT_EQ(last_token(), "");
}

// The header that a policy requires is there only where a token could be had.
TEST_F(RoadOauth, APolicyThatRequiresTheTokenRefusesACallWithoutIt) {
  TempFolder const folder;
  auto const policy = folder.write(
      "fetch.rego",
      "package mcp.fetch\nallow if startswith(input.headers.authorization, \"Bearer \")\n"
      "reason := \"no token was to be had\" if input.injection.failed\n");
  for (auto const* const on_failure : {"continue", "refuse"}) {
    TokenEndpoint endpoint;
    endpoint.will(TokenEndpoint::refusal(503, "server_error"));
    auto settings =
        options(open({place(site_)}) +
                "  inject:\n  - {host: 127.0.0.1, schemes: [http], on_failure: " + on_failure +
                ", auth: {type: oauth_client_credentials, token_url: \"" + endpoint.url() +
                "\", client_id: agent, client_secret: \"env:TEST_CLIENT_SECRET\"}}\n");
    settings.more = "policies:\n  fetch:\n    policies:\n    - url: file://" + policy + "\n";
    Gateway gateway{settings};

    auto const reply = gateway.fetch(site_.url());

    EXPECT_EQ(reply.code, "policy_denied") << on_failure;
    EXPECT_THAT(reply.text, HasSubstr("no token was to be had")) << on_failure;
    EXPECT_THAT(gateway.records("fetch").at(0).all(), HasSubstr("no token was to be had"));
  }
  EXPECT_THAT(log_.all(), IsEmpty());
}

TEST_F(RoadOauth, WhatBecomesOfTokensIsCounted) {
  answer = [](std::string const& request) {
    return RequestLog::path_of(request) == "/revoked" && token_in(request) == "Bearer first-token"
               ? std::string{"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"}
               : Origin::ok("page");
  };
  endpoint_.will(TokenEndpoint::refusal(503, "server_error"));
  endpoint_.will(TokenEndpoint::token("first-token", R"(,"expires_in":3600,"refresh_token":"r")"));
  endpoint_.will(TokenEndpoint::token("second-token"));
  Gateway gateway{options(rule())};
  auto const counted = [&](std::string const& name, std::string const& more = "") {
    auto const line = "\nsallyport_token_" + name + R"({rule="shop")" + more + "} ";
    auto const text = gateway.metrics();
    auto const at = text.find(line);
    return at == std::string::npos ? -1 : std::stoi(text.substr(at + line.size()));
  };
  auto const requests = [&](std::string const& outcome) {
    return counted("requests_total", R"(,outcome=")" + outcome + "\"");
  };
  EXPECT_EQ(requests("granted"), 0);

  gateway.fetch(site_.url());
  gateway.fetch(site_.url());
  EXPECT_EQ(requests("refused"), 1);
  EXPECT_EQ(counted("backoff_total"), 1);
  EXPECT_EQ(counted("failing"), 1);

  std::this_thread::sleep_for(std::chrono::milliseconds{1100});
  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");
  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");
  EXPECT_EQ(requests("granted"), 1);
  EXPECT_EQ(counted("cache_hits_total"), 1);
  EXPECT_EQ(counted("failing"), 0);

  EXPECT_EQ(gateway.fetch(site_.url("/revoked")).text, "page");
  EXPECT_EQ(requests("granted"), 2);
  EXPECT_EQ(counted("retries_total"), 1);
  EXPECT_EQ(counted("refreshes_total"), 1);
  EXPECT_EQ(endpoint_.grants(), "client_credentials client_credentials refresh_token:r");
  EXPECT_THAT(gateway.metrics(), Not(HasSubstr("-token")));
}

TEST_F(RoadOauth, NoTokenIsAskedForWhereNoneIsNeeded) {
  Origin const other{Origin::answering(Origin::ok("other"))};
  Gateway gateway{options(
      open({place(site_), place(other)}) +
      rule("", "    methods: [GET]\n    path_prefix: /api\n").substr(open({place(site_)}).size()))};

  gateway.fetch(other.url("/api"));                                                      // port
  gateway.fetch(site_.url("/other"));                                                    // path
  gateway.fetch(site_.url("/api"), R"(,"method":"POST","body":"x")");                    // method
  gateway.fetch(site_.url("/api"), R"(,"headers":{"Authorization":"Bearer of-mine"})");  // own

  EXPECT_EQ(endpoint_.calls(), 0);
  ASSERT_THAT(log_.all(), SizeIs(3));
  EXPECT_EQ(last_token(), "Bearer of-mine");
}

// A rule for https would give its token to whoever listens on the way.
TEST_F(RoadOauth, NoTokenGoesOverPlainHttpUnlessTheRuleSaysSo) {
  auto text = rule();
  text.erase(text.find("    schemes: [http]\n"), 20);
  Gateway gateway{options(text)};

  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");

  EXPECT_EQ(endpoint_.calls(), 0);
  EXPECT_EQ(last_token(), "");
}

TEST_F(RoadOauth, WhatPolicyDeniesNeverReachesTheSiteAndCostsOneTokenAtMost) {
  Gateway gateway{options(rule() + "  deny:\n  - {name: closed, path_prefixes: [/closed]}\n")};

  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(gateway.fetch(site_.url("/closed")).code, "policy_denied");
  }

  EXPECT_THAT(log_.all(), IsEmpty());
  EXPECT_EQ(endpoint_.calls(), 1);
}

TEST_F(RoadOauth, A401IsTriedOnceMoreWithANewToken) {
  answer = [](std::string const& request) {
    return token_in(request) == "Bearer issued-token-1"
               ? std::string{"HTTP/1.1 401 Unauthorized\r\nContent-Length: 7\r\n\r\nrevoked"}
               : Origin::ok("page");
  };
  Gateway gateway{options(rule())};

  auto const reply = gateway.fetch(site_.url(), R"(,"method":"POST","body":"the whole body")");

  EXPECT_EQ(reply.text, "page");
  EXPECT_EQ(endpoint_.grants(), "client_credentials client_credentials");
  ASSERT_THAT(log_.all(), SizeIs(2));
  for (auto const& request : log_.all()) EXPECT_THAT(request, HasSubstr("\r\n\r\nthe whole body"));
  EXPECT_EQ(last_token(), "Bearer issued-token-2");
  auto const records = gateway.records("fetch");
  ASSERT_THAT(records, SizeIs(1));
  ASSERT_THAT(records[0].hops(), SizeIs(2));
  EXPECT_EQ(records[0].hops()[0].at("status"), 401);
  EXPECT_EQ(records[0].hops()[1].at("status"), 200);
}

// It is the same call, and has its place already.
TEST_F(RoadOauth, ASecondAttemptIsNotCountedAsASecondCall) {
  answer = [](std::string const& request) {
    return token_in(request) == "Bearer issued-token-1"
               ? std::string{"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"}
               : Origin::ok("page");
  };
  Gateway gateway{options(rule() + "  concurrent: 1\n  rate_per_principal: 1/h\n")};

  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");
  EXPECT_EQ(gateway.fetch(site_.url()).code, "limit_exceeded");
}

TEST_F(RoadOauth, ASiteThatRefusesEveryTokenIsAskedTwiceAndNotMore) {
  answer = [](std::string const&) {
    return std::string{"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"};
  };
  Gateway gateway{options(rule())};

  gateway.fetch(site_.url());
  EXPECT_THAT(log_.all(), SizeIs(2));
  for (int i = 0; i < 5; ++i) gateway.fetch(site_.url());

  EXPECT_THAT(log_.all(), SizeIs(7));
  EXPECT_EQ(endpoint_.calls(), 2);
  EXPECT_EQ(gateway.records("fetch").at(0).number("status"), 401);
}

TEST_F(RoadOauth, A401StaysTheAnswerWhereNoOtherTokenCanBeHad) {
  answer = [](std::string const&) {
    return std::string{"HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"};
  };
  endpoint_.will(TokenEndpoint::token("only-token"));
  endpoint_.will(TokenEndpoint::refusal(503, "server_error"));
  Gateway gateway{options(rule())};

  auto const reply = gateway.fetch(site_.url());

  EXPECT_NE(reply.code, "credential_unavailable") << reply.text;
  EXPECT_THAT(log_.all(), SizeIs(1));
  EXPECT_EQ(gateway.records("fetch").at(0).number("status"), 401);
}

TEST_F(RoadOauth, ASiteThatRepeatsTheTokenIsMasked) {
  answer = [](std::string const& request) {
    return Origin::ok("you sent: " + token_in(request), "X-Echo: " + token_in(request) + "\r\n");
  };
  {
    Gateway gateway{options(rule())};
    auto const reply = gateway.fetch(site_.url());
    EXPECT_THAT(reply.text, HasSubstr("you sent: Bearer **************"));
    EXPECT_THAT(reply.whole, Not(HasSubstr("issued-token")));
  }
  Gateway gateway{options(rule() + "  mask_echoes: false\n")};
  EXPECT_THAT(gateway.fetch(site_.url()).text, HasSubstr("you sent: Bearer issued-token-2"));
}

TEST_F(RoadOauth, ARedirectThatRepeatsTheTokenIsNotFollowed) {
  Origin const elsewhere{Origin::answering(Origin::ok("elsewhere"))};
  answer = [&](std::string const& request) {
    return redirect(302, elsewhere.url("/?stolen=" + token_in(request).substr(7)));
  };
  Gateway gateway{
      options(open({place(site_), place(elsewhere)}) + rule().substr(open({place(site_)}).size()))};

  auto const reply = gateway.fetch(site_.url());

  EXPECT_EQ(reply.code, "egress_blocked");
  EXPECT_EQ(elsewhere.connections(), 0);
  EXPECT_THAT(reply.whole + gateway.written(), Not(HasSubstr("issued-token")));
}

TEST_F(RoadOauth, ATokenDoesNotFollowARedirectToAnotherPlace) {
  RequestLog other_log;
  Origin const other{other_log.answering(Origin::ok("other"))};
  answer = [&](std::string const&) { return redirect(307, other.url()); };
  Gateway gateway{
      options(open({place(site_), place(other)}) + rule().substr(open({place(site_)}).size()))};

  EXPECT_EQ(gateway.fetch(site_.url()).text, "other");

  EXPECT_EQ(last_token(), "Bearer issued-token-1");
  EXPECT_EQ(token_in(other_log.all().at(0)), "");
}

// Nobody waits for the token any more once the calls have ended.
TEST_F(RoadOauth, ASilentEndpointDoesNotKeepTheProgramFromEnding) {
  endpoint_.hold();
  auto settings = options(rule("      timeout: 1m\n"));
  settings.more = "limits:\n  shutdown_grace: 100ms\n";
  Gateway gateway{settings};
  RawClient caller{gateway.port()};
  caller.send(Gateway::fetch_call(site_.url()).http());
  ASSERT_TRUE(endpoint_.wait_for_calls(1));
  auto const begin = std::chrono::steady_clock::now();

  EXPECT_EQ(gateway.stop(), 0);

  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{10});
  EXPECT_EQ(gateway.records().size(), 2);
}

// A call that waits for its token holds its own place.
TEST_F(RoadOauth, ATokenNeedsNoPlaceOfItsOwnAmongTheCalls) {
  Gateway gateway{options(rule() + "  concurrent: 1\n  concurrent_per_principal: 1\n"
                                   "  rate_per_principal: 1/h\n")};

  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");
}

// Else the request for a token would wait for that token.
TEST_F(RoadOauth, ARuleThatReachesTheTokenEndpointIsNotUsedForIt) {
  auto text = rule();
  auto const ports = text.find("    ports: [");
  text.erase(ports, text.find('\n', ports) + 1 - ports);
  Gateway gateway{options(text)};

  EXPECT_EQ(gateway.fetch(site_.url()).text, "page");

  ASSERT_THAT(endpoint_.sent(), SizeIs(1));
  EXPECT_EQ(token_in(endpoint_.sent()[0].request), "");
}

TEST_F(RoadOauth, ABackendOfAppsGetsItsTokenToo) {
  auto settings = options("");
  settings.more = "backends:\n- name: api\n  base_url: " + site_.url("/base") +
                  "\n  private_network: true\n  credentials:\n  - auth: {type: "
                  "oauth_client_credentials, client_id: agent, token_url: \"" +
                  endpoint_.url() +
                  "\", client_secret: \"env:TEST_CLIENT_SECRET\", client_auth: "
                  "client_secret_basic, audience: shop}\n";
  answer = [](std::string const& request) {
    return token_in(request) == "Bearer issued-token-1"
               ? std::string{"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n"}
               : Origin::ok("cart " + token_in(request));
  };
  Gateway gateway{settings};

  auto const reply = gateway.call(modern_call("http_request", R"({"url":"/cart"})"));

  EXPECT_THAT(reply.whole, HasSubstr("cart Bearer **************"));
  EXPECT_THAT(reply.whole, Not(HasSubstr("issued-token")));
  EXPECT_EQ(RequestLog::path_of(log_.all().back()), "/base/cart");
  EXPECT_EQ(last_token(), "Bearer issued-token-2");
  ASSERT_THAT(endpoint_.sent(), SizeIs(2));
  EXPECT_EQ(endpoint_.sent()[0].form(), "grant_type=client_credentials&audience=shop");
  EXPECT_THAT(endpoint_.sent()[0].request,
              HasSubstr("Authorization: Basic YWdlbnQ6czNjcjN0LXRoYXQtbm9ib2R5LW1heS1zZWU="));
  EXPECT_THAT(gateway.metrics(),
              HasSubstr(R"(sallyport_token_retries_total{rule="backends[0].credentials[0]"} 1)"));
}

}  // namespace
}  // namespace sallyport::test
