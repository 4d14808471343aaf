// Rego policies in front of the network: what they deny is never sent, what they say is heard.
#include "tests/support/gateway.hpp"
#include "tests/support/request_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

std::string policies(std::vector<std::string> const& urls, std::string const& mode = "all") {
  std::string text = "policies:\n  fetch:\n    mode: " + mode + "\n    policies:\n";
  for (auto const& url : urls) text += "    - url: " + url + "\n";
  return text;
}

class RoadRego : public testing::Test {
 protected:
  std::string write(std::string const& name, std::string const& body) const {
    return "file://" + folder_.write(name, "package mcp.fetch\n" + body);
  }
  GatewayOptions judged_by(std::vector<std::string> const& urls, std::string const& mode = "all") {
    return {.egress = open({place(origin_)}), .more = policies(urls, mode)};
  }

  TempFolder folder_;
  RequestLog log_;
  Origin origin_{log_.answering(Origin::ok("page"))};
};

TEST_F(RoadRego, WhatAPolicyDeniesIsNeverSent) {
  Gateway gateway{judged_by({write("get.rego",
                                   "allow if input.method == \"GET\"\n"
                                   "reason := \"reading only\" if not allow")})};

  EXPECT_EQ(gateway.fetch(origin_.url("/a")).text, "page");
  auto const posted = gateway.fetch(origin_.url("/a"), R"(,"method":"POST","body":"x")");

  EXPECT_EQ(posted.code, "policy_denied");
  EXPECT_THAT(posted.text, HasSubstr("reading only"));
  EXPECT_EQ(log_.all().size(), 1);
  auto const records = gateway.records();
  ASSERT_EQ(records.size(), 2);
  EXPECT_EQ(records[1].text("verdict"), "denied");
  EXPECT_EQ(json::to_text(records[1].body.at("reasons")), R"(["reading only"])");
  // Both were judged by the same policy, and the log says by which.
  EXPECT_EQ(records[0].hop(0, "policy").size(), 12U);
  EXPECT_EQ(records[0].hop(0, "policy"), records[1].hop(0, "policy"));
}

TEST_F(RoadRego, ARedirectIsJudgedLikeAnyCall) {
  Origin const start{Origin::answering(redirect(307, origin_.url("/closed")))};
  auto options = judged_by({write("p.rego", "allow if input.url_parsed.path != \"/closed\"")});
  options.egress = open({place(start), place(origin_)});
  Gateway gateway{options};

  EXPECT_EQ(gateway.fetch(start.url("/")).code, "policy_denied");
  EXPECT_EQ(log_.all().size(), 0);
}

TEST_F(RoadRego, APolicyMayRequireTheCredentialThatIsAdded) {
  auto options =
      judged_by({write("p.rego", "allow if startswith(input.headers[\"x-api-key\"], \"s3cr3t\")")});
  options.egress +=
      "  inject:\n  - host: 127.0.0.1\n    schemes: [http]\n    path_prefix: /api\n"
      "    headers: {X-Api-Key: s3cr3t-that-nobody-may-see}\n";
  Gateway gateway{options};

  EXPECT_EQ(gateway.fetch(origin_.url("/api/a")).text, "page");
  EXPECT_EQ(gateway.fetch(origin_.url("/other")).code, "policy_denied");
  ASSERT_EQ(log_.all().size(), 1);
  EXPECT_THAT(log_.all()[0], HasSubstr("s3cr3t-that-nobody-may-see"));
}

TEST_F(RoadRego, EverySourceMustAllowOrOneOfThemAsTheModeSays) {
  auto const yes = write("yes.rego", "allow := true");
  auto const no = write("no.rego", "default allow := false\nreason := \"said no\"");
  auto const never = write("never.rego", "default allow := false");
  {
    Gateway all{judged_by({yes, no})};
    EXPECT_THAT(all.fetch(origin_.url("/")).text, HasSubstr("said no"));
    Gateway none{judged_by({no, never}, "any")};
    EXPECT_EQ(none.fetch(origin_.url("/")).code, "policy_denied");
  }
  EXPECT_EQ(log_.all().size(), 0);

  Gateway any{judged_by({no, yes}, "any")};
  EXPECT_EQ(any.fetch(origin_.url("/")).text, "page");
  EXPECT_EQ(log_.all().size(), 1);
}

TEST_F(RoadRego, TheFilesOfAFolderAreOnePolicy) {
  write("reading.rego", "allow if {\n\tinput.method == \"GET\"\n\topen_to_all\n}");
  write("places.rego", "open_to_all if input.url_parsed.path in data.paths");
  write("places_test.rego", "allow := true");
  folder_.write("notes.txt", "this is no Rego");
  folder_.write("data.json", R"({"paths": ["/a", "/b"]})");
  Gateway gateway{judged_by({"file://" + folder_.path()})};

  EXPECT_EQ(gateway.fetch(origin_.url("/a")).text, "page");
  EXPECT_EQ(gateway.fetch(origin_.url("/c")).code, "policy_denied");
  EXPECT_EQ(gateway.fetch(origin_.url("/b"), R"(,"method":"POST","body":"x")").code,
            "policy_denied");
  EXPECT_EQ(log_.all().size(), 1);
}

TEST_F(RoadRego, HostPathAndMethodAreWhatIsSent) {
  auto options = judged_by({write("p.rego",
                                  "allow if {\n\tinput.url_parsed.host == \"127.0.0.1\"\n"
                                  "\tstartswith(input.url_parsed.path, \"/api/\")\n"
                                  "\tinput.method == \"GET\"\n}")});
  options.egress = open({place(origin_), "127.0.0.2:" + std::to_string(origin_.port())});
  Gateway gateway{options};
  auto const elsewhere = "http://127.0.0.2:" + std::to_string(origin_.port()) + "/api/a";

  EXPECT_EQ(gateway.fetch(origin_.url("/api/a")).text, "page");
  EXPECT_EQ(gateway.fetch(origin_.url("/api/../a")).code, "policy_denied");
  EXPECT_EQ(gateway.fetch(origin_.url("/other")).code, "policy_denied");
  EXPECT_EQ(gateway.fetch(origin_.url("/api/a"), R"(,"method":"POST","body":"x")").code,
            "policy_denied");
  EXPECT_EQ(gateway.fetch(elsewhere).code, "policy_denied");
  EXPECT_EQ(log_.all().size(), 1);
}

// Only a section that is there judges, and it judges whatever tool asks.
TEST_F(RoadRego, RequestsOfAppsAreJudgedLikeThoseOfModels) {
  auto options = judged_by({write("p.rego",
                                  "allow if input.url_parsed.path == \"/open\"\n"
                                  "reason := concat(\" \", [\"not for\", input.tool])")});
  options.more +=
      "backends:\n- {name: api, base_url: \"" + origin_.url("/") + "\", private_network: true}\n";
  Gateway gateway{options};

  auto const opened = gateway.call(modern_call("http_request", R"({"url":"/open"})"));
  auto const closed = gateway.call(modern_call("http_request", R"({"url":"/closed"})"));

  EXPECT_FALSE(opened.is_error) << opened.whole;
  EXPECT_EQ(closed.code, "policy_denied");
  EXPECT_THAT(closed.whole, HasSubstr("not for http_request"));
  EXPECT_EQ(log_.count("/open"), 1);
  EXPECT_EQ(log_.count("/closed"), 0);
}

// A policy sees the values, and what it says goes to the caller, the log and the audit log.
TEST_F(RoadRego, APolicyCannotTellACredentialByAccident) {
  auto options = judged_by({write("p.rego",
                                  "default allow := false\n"
                                  "allow if {\n\tprint(input.headers)\n"
                                  "\tto_number(input.headers[\"x-api-key\"]) == 1\n}\n"
                                  "reason := sprintf(\"you sent %v\", [input.headers])")});
  options.egress +=
      "  inject:\n  - host: 127.0.0.1\n    schemes: [http]\n"
      "    headers: {X-Api-Key: s3cr3t-that-nobody-may-see}\n";
  Gateway gateway{options};

  auto const denied = gateway.fetch(origin_.url("/"));

  EXPECT_EQ(denied.code, "policy_denied");
  EXPECT_THAT(denied.text, HasSubstr("you sent "));
  EXPECT_THAT(denied.text, HasSubstr("[redacted]"));
  EXPECT_THAT(gateway.log(), HasSubstr("a built-in function of a policy failed"));
  EXPECT_EQ(gateway.stop(), 0);
  EXPECT_THAT(denied.whole + gateway.written(), Not(HasSubstr("s3cr3t-that-nobody-may-see")));
}

TEST_F(RoadRego, AFileThatChangesIsInForceAMomentLaterAndABrokenOneIsNot) {
  auto const url = write("p.rego", "allow := true");
  Gateway gateway{judged_by({url})};
  EXPECT_EQ(gateway.fetch(origin_.url("/")).text, "page");

  write("p.rego", "allow if");
  std::this_thread::sleep_for(500ms);
  EXPECT_EQ(gateway.fetch(origin_.url("/")).text, "page");

  write("p.rego", "default allow := false");
  auto const patience = std::chrono::steady_clock::now() + 20s;
  std::string code;
  while (code.empty() && std::chrono::steady_clock::now() < patience) {
    std::this_thread::sleep_for(20ms);
    code = gateway.fetch(origin_.url("/")).code;
  }
  EXPECT_EQ(code, "policy_denied");
}

TEST_F(RoadRego, ReadinessTellsWhichPolicyIsBrokenAndWhatIsInForce) {
  auto const url = write("p.rego", "allow := true");
  Gateway gateway{judged_by({url})};
  auto const readiness = [&] {
    RawClient client{gateway.port()};
    client.send("GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    auto const response = client.receive();
    EXPECT_EQ(response.status, 200);
    return response.body;
  };
  auto const wait_until = [&](bool broken) {
    auto const patience = std::chrono::steady_clock::now() + 20s;
    auto body = readiness();
    while ((body.find("policies") != std::string::npos) != broken &&
           std::chrono::steady_clock::now() < patience) {
      std::this_thread::sleep_for(20ms);
      body = readiness();
    }
    return body;
  };
  EXPECT_EQ(readiness(), R"({"status":"ready"})");
  gateway.fetch(origin_.url("/"));
  auto const in_force = gateway.records().at(0).hop(0, "policy");

  write("p.rego", "allow if hunter2 == input.x");
  auto const broken = parsed(wait_until(true));
  EXPECT_EQ(Reply::text_in(broken, "status"), "ready");
  auto const* const policies = json::find_array(broken, "policies");
  ASSERT_TRUE(policies != nullptr && policies->size() == 1) << json::to_text(broken);
  auto const& policy = policies->at(0).as_object();
  EXPECT_EQ(Reply::text_in(policy, "policy"), "p.rego");
  EXPECT_THAT(Reply::text_in(policy, "problem"), testing::StartsWith("p.rego:2:"));
  EXPECT_EQ(Reply::text_in(policy, "in_force"), in_force);
  EXPECT_THAT(json::to_text(broken), Not(HasSubstr("hunter2")));
  EXPECT_THAT(json::to_text(broken), Not(HasSubstr(folder_.path())));

  write("p.rego", "default allow := false");
  EXPECT_EQ(wait_until(false), R"({"status":"ready"})");
}

TEST_F(RoadRego, ReplayTellsWhatAnotherPolicyWouldHaveDecided) {
  Gateway gateway{judged_by({write("get.rego", "allow if input.method == \"GET\"")})};
  gateway.fetch(origin_.url("/a"));
  gateway.fetch(origin_.url("/b"), R"(,"method":"POST","body":"x")");
  write("new.rego",
        "allow if input.url_parsed.path == \"/b\"\n"
        "reason := \"only b\" if not allow");

  ChildProcess replay{{SALLYPORT_PROGRAM, "policy", "replay", "--since", "1h", "--policy",
                       folder_.file("new.rego"), "--file", gateway.audit_file(), "--format",
                       "json"}};
  std::string text;
  for (auto line = replay.line(); !line.empty(); line = replay.line()) text += line;
  EXPECT_EQ(replay.wait(), 1);

  auto const told = parsed(text);
  auto const* const changes = json::find_array(told, "changes");
  ASSERT_TRUE(changes != nullptr && changes->size() == 2) << text;
  auto const& first = changes->at(0).as_object();
  EXPECT_EQ(Reply::text_in(first, "url"), origin_.url("/a"));
  EXPECT_EQ(Reply::text_in(first, "now"), "denied");
  EXPECT_EQ(json::to_text(first.at("reasons")), R"(["only b"])");
  EXPECT_EQ(Reply::text_in(changes->at(1).as_object(), "now"), "allowed");
  EXPECT_EQ(Reply::text_in(changes->at(1).as_object(), "method"), "POST");
}

TEST_F(RoadRego, AnOpaServerIsAskedWithoutSecrets) {
  RequestLog asked;
  Origin const opa{asked.answering([](std::string const& request) {
    bool const reads = request.find(R"("method":"GET")") != std::string::npos;
    return Origin::ok(reads ? R"({"result":{"allow":true}})"
                            : R"({"result":{"allow":false,"reason":"said OPA"}})");
  })};
  auto options = judged_by({opa.url()});
  options.egress +=
      "  inject:\n  - host: 127.0.0.1\n    schemes: [http]\n"
      "    headers: {X-Api-Key: s3cr3t-that-nobody-may-see}\n";
  Gateway gateway{options};

  EXPECT_EQ(gateway.fetch(origin_.url("/")).text, "page");
  EXPECT_THAT(gateway.fetch(origin_.url("/"), R"(,"method":"POST","body":"x")").text,
              HasSubstr("said OPA"));

  ASSERT_EQ(asked.all().size(), 2);
  EXPECT_EQ(RequestLog::path_of(asked.all()[0]), "/v1/data/mcp/fetch");
  EXPECT_THAT(asked.all()[0], HasSubstr(R"("x-api-key":"[redacted]")"));
  EXPECT_THAT(asked.all()[0], Not(HasSubstr("s3cr3t")));
  EXPECT_EQ(log_.all().size(), 1);
}

TEST_F(RoadRego, AnOpaServerThatIsGoneDeniesUnlessAnotherSourceIsEnough) {
  auto const dead = "http://127.0.0.1:1";
  auto const yes = write("p.rego", "allow := true");

  Gateway strict{judged_by({dead, yes})};
  auto const denied = strict.fetch(origin_.url("/"));
  EXPECT_EQ(denied.code, "policy_denied");
  EXPECT_THAT(denied.text, HasSubstr("could not judge"));
  EXPECT_EQ(log_.all().size(), 0);

  Gateway lenient{judged_by({dead, yes}, "any")};
  EXPECT_EQ(lenient.fetch(origin_.url("/")).text, "page");
}

}  // namespace
}  // namespace sallyport::test
