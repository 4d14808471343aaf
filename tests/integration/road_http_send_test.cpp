// Policies that ask another server with http.send, in the built program.
#include "tests/support/gateway.hpp"
#include "tests/support/request_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

namespace sallyport::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto const* kOn = "policies:\n  http_send: true\n";
constexpr auto const* kJson = "Content-Type: application/json\r\n";

template <class Condition>
bool comes_true(Condition condition) {
  for (int left = 600; left > 0; --left) {
    if (condition()) return true;
    std::this_thread::sleep_for(5ms);
  }
  return condition();
}

class RoadHttpSend : public testing::Test {
 protected:
  // A policy whose `answer` is what `url` says of the call. It sends nothing for paths that begin
  // with /free.
  std::string asking(std::string const& url, std::string const& rules,
                     std::string const& more = {}) const {
    return "file://" +
           folder_.write("ask.rego",
                         "package mcp.fetch\n"
                         "allow if startswith(input.url_parsed.path, \"/free\")\n"
                         "answer := http.send({\"method\": \"POST\", \"url\": \"" +
                             url + "\", \"headers\": {\"X-From\": \"policy\"}, \"body\": input" +
                             more + "}) if not startswith(input.url_parsed.path, \"/free\")\n" +
                             rules);
  }
  static std::string policies(std::vector<std::string> const& urls, std::string start = kOn) {
    start += "  fetch:\n    policies:\n";
    for (auto const& url : urls) start += "    - url: " + url + "\n";
    return start;
  }

  TempFolder folder_;
  RequestLog log_;
  Origin origin_{log_.answering(Origin::ok("page"))};
};

TEST_F(RoadHttpSend, AServerIsAskedAndItsAnswerDecides) {
  RequestLog asked;
  Origin const judge{asked.answering([](std::string const& request) {
    bool const good = request.find("/good\"") != std::string::npos;
    return Origin::ok(good ? R"({"good": true})" : R"({"good": false, "why": "it is bad"})", kJson);
  })};
  auto const url = asking(judge.url("/ask"),
                          "allow if answer.body.good\n"
                          "reason := answer.body.why if not answer.body.good\n");
  auto egress = open({place(origin_), place(judge)}) +
                "  inject:\n  - host: 127.0.0.1\n    schemes: [http]\n"
                "    headers: {X-Api-Key: s3cr3t-that-nobody-may-see}\n";
  Gateway gateway{{.egress = egress, .more = policies({url})}};

  EXPECT_EQ(gateway.fetch(origin_.url("/good")).text, "page");
  auto const denied = gateway.fetch(origin_.url("/bad"));

  EXPECT_EQ(denied.code, "policy_denied");
  EXPECT_THAT(denied.text, HasSubstr("it is bad"));
  EXPECT_EQ(log_.all().size(), 1);
  // Once per judgement, though two rules need it; without credentials, added or shown.
  ASSERT_EQ(asked.all().size(), 2);
  for (auto const& request : asked.all()) {
    EXPECT_THAT(request, AllOf(HasSubstr("POST /ask"), HasSubstr("X-From: policy"),
                               HasSubstr(R"("x-api-key":"[redacted]")"), Not(HasSubstr("s3cr3t"))));
  }
  auto const sent = gateway.records("policy");
  ASSERT_EQ(sent.size(), 2);
  EXPECT_EQ(sent[0].text("tool"), "fetch");
  EXPECT_EQ(sent[0].hop(0, "url"), judge.url("/ask"));
  EXPECT_EQ(gateway.records().size(), 4);
}

TEST_F(RoadHttpSend, AServerThatIsGoneDeniesUnlessThePolicyHandlesIt) {
  auto egress = open({place(origin_), "127.0.0.1:1"});
  {
    // Nothing but a deny depends on the answer.
    auto const url = asking("http://127.0.0.1:1/", "allow := true\ndeny if answer.body.bad\n");
    Gateway gateway{{.egress = egress, .more = policies({url})}};
    auto const denied = gateway.fetch(origin_.url("/"));
    EXPECT_EQ(denied.code, "policy_denied");
    EXPECT_THAT(denied.text, HasSubstr("could not judge"));
    EXPECT_THAT(gateway.log(), HasSubstr("http.send: "));
    EXPECT_EQ(log_.all().size(), 0);
  }
  auto const url = asking("http://127.0.0.1:1/", "allow if answer.status_code == 0\n",
                          ", \"raise_error\": false");
  Gateway gateway{{.egress = egress, .more = policies({url})}};
  EXPECT_EQ(gateway.fetch(origin_.url("/")).text, "page");
}

TEST_F(RoadHttpSend, PrivateNetworksAreRefusedUnlessTheyAreOpen) {
  Origin const judge{Origin::answering(Origin::ok(R"({"good": true})", kJson))};
  auto const url = asking(judge.url("/"), "allow if answer.body.good\n");
  Gateway gateway{{.egress = open({place(origin_)}), .more = policies({url})}};

  EXPECT_EQ(gateway.fetch(origin_.url("/")).code, "policy_denied");
  EXPECT_EQ(judge.connections(), 0);
  auto const sent = gateway.records("policy");
  ASSERT_EQ(sent.size(), 1);
  EXPECT_EQ(sent[0].text("error_code"), "egress_blocked");
}

TEST_F(RoadHttpSend, WhatAPolicySendsIsJudgedByThePoliciesThatDoNotSend) {
  Origin const judge{Origin::answering(Origin::ok(R"({"good": true})", kJson))};
  auto const url = asking(judge.url("/"), "allow if answer.body.good\n");
  auto const other = "file://" + folder_.write("other.rego",
                                               "package mcp.fetch\nallow if input.purpose != "
                                               "\"policy\"\nreason := \"nothing for policies\"\n");
  auto egress = open({place(origin_), place(judge)});
  Gateway gateway{{.egress = egress, .more = policies({other, url})}};

  EXPECT_EQ(gateway.fetch(origin_.url("/")).code, "policy_denied");
  EXPECT_EQ(judge.connections(), 0);
  auto const sent = gateway.records("policy");
  ASSERT_EQ(sent.size(), 1);
  EXPECT_THAT(sent[0].all(), HasSubstr("nothing for policies"));
}

TEST_F(RoadHttpSend, OtherCallsAreAnsweredWhileAPolicyWaits) {
  std::atomic<bool> answers{false};
  Origin const slow{[&](Origin::Connection& peer) {
    while (!peer.receive_request().empty()) {
      while (!answers && peer.pause(5ms)) {
      }
      peer.send(Origin::ok(R"({"good": true})", kJson));
    }
  }};
  auto const url = asking(slow.url("/"), "allow if answer.body.good\n", ", \"timeout\": \"30s\"");
  Gateway gateway{{.egress = open({place(origin_), place(slow)}), .more = policies({url})}};
  std::vector<RawClient> waiting;
  for (int i = 0; i < 20; ++i) {  // more than there are threads for
    waiting.emplace_back(gateway.port());
    waiting.back().send(Gateway::fetch_call(origin_.url("/slow")).http());
  }
  ASSERT_TRUE(comes_true([&] { return slow.requests() == 16; }));

  // One loop, and it is free; this call passes the same policy, but not without a thread.
  RawClient probe{gateway.port()};
  probe.send(post(initialize("2025-11-25")));
  EXPECT_EQ(probe.receive().status, 200);
  EXPECT_EQ(log_.all().size(), 0);

  answers = true;
  for (auto& client : waiting) {
    EXPECT_EQ(Reply::read(client.receive()).text, "page") << gateway.written();
  }
}

TEST_F(RoadHttpSend, PoliciesWithoutItJudgeWhileOthersWait) {
  Origin const silent{Origin::silent()};
  auto const url = asking(silent.url("/"), "allow if answer.body.good\n");
  auto const quick = "file://" + folder_.write("quick.rego",
                                               "package mcp.fetch\n"
                                               "allow if input.url_parsed.path == \"/quick\"\n"
                                               "allow if input.purpose == \"policy\"\n");
  Gateway gateway{{.egress = open({place(origin_), place(silent)}),
                   .more = std::string{kOn} +
                           "  fetch:\n    mode: any\n    policies:\n    - url: " + quick +
                           "\n    - url: " + url + "\n"}};
  RawClient waiting{gateway.port()};
  waiting.send(Gateway::fetch_call(origin_.url("/slow")).http());
  ASSERT_TRUE(comes_true([&] { return silent.connections() == 1; }));

  EXPECT_EQ(gateway.fetch(origin_.url("/quick")).text, "page");
  EXPECT_EQ(silent.connections(), 1);
}

TEST_F(RoadHttpSend, AnAnswerIsKeptForLaterJudgementsWhereThePolicyWantsIt) {
  RequestLog asked;
  Origin const judge{asked.answering(
      Origin::ok(R"({"good": true})", std::string{kJson} + "Cache-Control: max-age=60\r\n"))};
  auto const url =
      "file://" + folder_.write("ask.rego",
                                "package mcp.fetch\n"
                                "allow if http.send({\"method\": \"GET\", \"url\": \"" +
                                    judge.url("/") + "\", \"cache\": true}).body.good\n");
  Gateway gateway{{.egress = open({place(origin_), place(judge)}), .more = policies({url})}};

  for (int i = 0; i < 3; ++i) EXPECT_EQ(gateway.fetch(origin_.url("/")).text, "page");

  EXPECT_EQ(asked.all().size(), 1);
  EXPECT_EQ(gateway.records("policy").size(), 1);
}

TEST_F(RoadHttpSend, ACallThatIsGivenUpEndsWhatIsSentForIt) {
  std::atomic<int> asked{0};
  std::atomic<int> left{0};
  Origin const patient{[&](Origin::Connection& peer) {
    peer.receive_request();
    ++asked;
    peer.wait_for_end();
    ++left;
  }};
  auto const url = asking(patient.url("/"), "allow if answer.body.good\n");
  Gateway gateway{{.egress = open({place(origin_), place(patient)}), .more = policies({url})}};
  RawClient client{gateway.port()};
  client.send(Gateway::fetch_call(origin_.url("/")).http());
  ASSERT_TRUE(comes_true([&] { return asked == 1; }));

  client.close();

  EXPECT_TRUE(comes_true([&] { return left == 1; }));
  auto const records = gateway.records_after(2);
  ASSERT_EQ(records.size(), 2);
  for (auto const& record : records) {
    EXPECT_EQ(record.text("error_code"), "cancelled") << record.all();
    EXPECT_EQ(record.text("verdict"), "allowed") << record.all();
  }
  EXPECT_EQ(log_.all().size(), 0);
}

TEST_F(RoadHttpSend, TheTimeOfTheCallEndsIt) {
  Origin const silent{Origin::silent()};
  auto const url = asking(silent.url("/"), "allow if answer.body.good\n", ", \"timeout\": \"60s\"");
  Gateway gateway{{.egress = open({place(origin_), place(silent)}),
                   .fetch = "  robots: false\n  timeout: 300ms\n",
                   .more = policies({url})}};
  auto const begin = std::chrono::steady_clock::now();

  EXPECT_EQ(gateway.fetch(origin_.url("/")).code, "policy_denied");

  EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s);
  EXPECT_EQ(gateway.records("policy").at(0).text("error_code"), "deadline_exceeded");
}

TEST_F(RoadHttpSend, TheProgramStopsWhileAPolicyWaits) {
  Origin const silent{Origin::silent()};
  auto const url = asking(silent.url("/"), "allow if answer.body.good\n", ", \"timeout\": \"60s\"");
  Gateway gateway{{.egress = open({place(origin_), place(silent)}),
                   .more = policies({url}) + "limits:\n  shutdown_grace: 300ms\n"}};
  RawClient client{gateway.port()};
  client.send(Gateway::fetch_call(origin_.url("/")).http());
  ASSERT_TRUE(comes_true([&] { return silent.connections() == 1; }));
  auto const begin = std::chrono::steady_clock::now();

  EXPECT_EQ(gateway.stop(), 0);

  EXPECT_LT(std::chrono::steady_clock::now() - begin, 3s);
  EXPECT_TRUE(gateway.audit_log_is_sound());
}

TEST_F(RoadHttpSend, ItIsOffUnlessTheSettingsTurnItOn) {
  auto const url = asking("http://127.0.0.1:1/", "");
  auto const settings = folder_.write("settings.yaml", policies({url}, "policies:\n"));
  auto const errors = folder_.file("errors");
  ChildProcess refused{{"/bin/sh", "-c", R"(exec "$@" 2>"$0")", errors, SALLYPORT_PROGRAM, "serve",
                        "--config", settings}};

  EXPECT_EQ(refused.wait(), 2);

  std::ifstream file{errors};
  EXPECT_THAT((std::stringstream{} << file.rdbuf()).str(),
              AllOf(HasSubstr("ask.rego:3:"), HasSubstr("http.send"),
                    HasSubstr("`policies.http_send: true` turns it on")));
}

}  // namespace
}  // namespace sallyport::test
