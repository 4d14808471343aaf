// The whole sequence of a call, with the built program, a policy in a file, and an authorization
// server that we did not write (oauth2-mock-server): credential, policy, request, answer; or
// credential, policy, and an end before anything is sent.
#include "tests/support/gateway.hpp"
#include "tests/support/peers.hpp"
#include "tests/support/request_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

namespace sallyport::test {
namespace {

using testing::Each;
using testing::Eq;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr auto const* kSecretOfTheClient = "s3cr3t-that-nobody-may-see";

constexpr auto const* kPolicyOfTheSequence = R"(package mcp.fetch

default allow := false

allow if {
	startswith(input.headers.authorization, "Bearer ")
	not closed
}

closed if startswith(input.url_parsed.path, "/closed")

reason := "this part is closed to agents" if closed

reason := "nobody vouches for this call" if {
	not closed
	not input.headers.authorization
}
)";

// "Bearer …"; empty without one.
std::string credential_in(std::string const& request) {
  auto const at = request.find("Authorization: ");
  return at == std::string::npos ? "" : request.substr(at + 15, request.find('\r', at) - at - 15);
}

class RoadSequence : public testing::Test {
 protected:
  void SetUp() override {
    SP_START_PEER(authorization_server_, "oauth2_mock_server.mjs", {});
    issuer_ = authorization_server_->line();
    ASSERT_THAT(issuer_, StartsWith("http://127.0.0.1:"));
  }

  GatewayOptions options() const {
    auto const port = std::to_string(site_.port());
    auto const policy = policy_folder_.write("fetch.rego", kPolicyOfTheSequence);
    return {.egress = open({place(site_), place(other_)}) +
                      "  inject:\n  - {name: shop, host: 127.0.0.1, schemes: [http], ports: [" +
                      port + "], auth: {type: oauth_client_credentials, token_url: \"" + issuer_ +
                      "/token\", client_id: agent, client_secret: \"env:TEST_CLIENT_SECRET\"}}\n",
            .more = "policies:\n  fetch:\n    policies:\n    - url: file://" + policy +
                    "\nbackends:\n- {name: site, base_url: \"" + site_.url("/") +
                    "\", private_network: true}\n",
            .loops = 2,
            .environment = {std::string{"TEST_CLIENT_SECRET="} + kSecretOfTheClient}};
  }

  // What the authorization server gave, by its own word.
  std::string issued_token() {
    auto line = authorization_server_->line();
    while (!line.empty() && !line.starts_with('{')) line = authorization_server_->line();
    if (line.empty()) return "";
    auto const report = parsed(line);
    EXPECT_EQ(Reply::text_in(report.at("sent").as_object(), "client_secret"), kSecretOfTheClient);
    return Reply::text_in(report.at("answer").as_object(), "access_token");
  }

  // `http_request` takes paths of its backend.
  Reply ask(Gateway const& gateway, std::string const& tool, std::string const& path) const {
    if (tool == "fetch") return gateway.fetch(site_.url(path));
    return gateway.call(modern_call(tool, R"({"url":")" + path + R"("})"));
  }

  TempFolder policy_folder_;
  std::unique_ptr<ChildProcess> authorization_server_;
  std::string issuer_;
  RequestLog log_;
  // Repeats what it was sent, in its body and a header, where it is asked to.
  Origin site_{log_.answering([](std::string const& request) {
    if (RequestLog::path_of(request) != "/echo") return Origin::ok("page");
    auto const credential = credential_in(request);
    return Origin::ok("you sent " + credential + ".", "X-Echo: " + credential + "\r\n");
  })};
  Origin other_{Origin::answering(Origin::ok("other"))};
};

TEST_F(RoadSequence, ACallGetsItsCredentialThenPolicyJudgesThenItIsSentOrNot) {
  Gateway gateway{options()};
  std::string told;  // all that callers got

  // Many at once, with both tools, before there is a token.
  std::vector<std::future<Reply>> replies;
  for (int i = 0; i < 12; ++i) {
    replies.push_back(std::async(std::launch::async, [&, i] {
      return ask(gateway, i % 2 == 0 ? "fetch" : "http_request", "/data");
    }));
  }
  for (auto& each : replies) {
    auto const reply = each.get();
    EXPECT_FALSE(reply.is_error) << reply.whole;
    EXPECT_THAT(reply.whole, HasSubstr("page"));
    told += reply.whole;
  }

  // Each arrived with the token that the authorization server issued, and it issued one.
  auto const token = issued_token();
  ASSERT_THAT(token, StartsWith("ey"));
  std::vector<std::string> credentials;
  for (auto const& request : log_.all()) credentials.push_back(credential_in(request));
  EXPECT_THAT(credentials, SizeIs(12));
  EXPECT_THAT(credentials, Each(Eq("Bearer " + token)));
  EXPECT_THAT(gateway.records("oauth token"), SizeIs(1));

  // What policy denies stops there: by its path, and for want of the credential.
  std::vector<std::string> denied_calls;
  for (auto const* const tool : {"fetch", "http_request"}) {
    auto const denied = ask(gateway, tool, "/closed/a");
    EXPECT_EQ(denied.code, "policy_denied") << tool << denied.whole;
    EXPECT_THAT(denied.whole, HasSubstr("this part is closed to agents")) << tool;
    denied_calls.push_back(denied.call_id);
    told += denied.whole;
  }
  auto const stranger = gateway.fetch(other_.url("/data"));
  EXPECT_EQ(stranger.code, "policy_denied") << stranger.whole;
  EXPECT_THAT(stranger.text, HasSubstr("nobody vouches for this call"));
  denied_calls.push_back(stranger.call_id);
  told += stranger.whole;
  EXPECT_EQ(log_.count("/closed/a"), 0U);
  EXPECT_EQ(other_.connections(), 0U);

  // A site that repeats the token does not tell it to the caller.
  for (auto const* const tool : {"fetch", "http_request"}) {
    auto const echoed = ask(gateway, tool, "/echo");
    EXPECT_THAT(echoed.whole, HasSubstr("you sent Bearer ****")) << tool;
    told += echoed.whole;
  }
  EXPECT_EQ(log_.count("/echo"), 2U);
  EXPECT_THAT(gateway.records("oauth token"), SizeIs(1));

  // The audit log has the reasons, under the ids that the callers were given.
  std::vector<std::string> reasons;
  for (auto const& record : gateway.records()) {
    if (record.text("verdict") != "denied") continue;
    EXPECT_THAT(denied_calls, testing::Contains(record.text("id")));
    reasons.push_back(json::to_text(record.body.at("reasons")));
  }
  EXPECT_THAT(reasons, testing::ElementsAre(R"(["this part is closed to agents"])",
                                            R"(["this part is closed to agents"])",
                                            R"(["nobody vouches for this call"])"));

  // And the token is nowhere, nor its signature alone, nor the client's secret.
  auto const metrics = gateway.metrics();
  EXPECT_THAT(metrics,
              HasSubstr(R"(sallyport_token_requests_total{rule="shop",outcome="granted"} 1)"));
  EXPECT_EQ(gateway.stop(), 0);
  auto const everything = told + metrics + gateway.written();
  EXPECT_THAT(everything, HasSubstr("audit log closed"));
  for (auto const& secret :
       {token, token.substr(token.rfind('.') + 1), std::string{kSecretOfTheClient}}) {
    EXPECT_THAT(everything, Not(HasSubstr(secret)));
  }
}

}  // namespace
}  // namespace sallyport::test
