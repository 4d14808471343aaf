// Redirects as two real origins see them, asked for with the fetch tool of the built program.
#include "tests/support/gateway.hpp"
#include "tests/support/request_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace sallyport::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr auto const* kHost = "127.0.0.2";

// The first origin sends everybody on; where, its request says: /302?http://…
std::string send_on(std::string const& request) {
  auto const path = RequestLog::path_of(request);
  auto const mark = path.find('?');
  if (mark == std::string::npos) return Origin::ok("first origin");
  return redirect(std::stoi(path.substr(1, mark - 1)), path.substr(mark + 1));
}

class RoadRedirect : public testing::Test {
 protected:
  static std::string place(Origin const& origin) {
    return kHost + (":" + std::to_string(origin.port()));
  }
  GatewayOptions options(std::string const& more = {}) const {
    return {.egress = open({place(first_), place(second_)}) + more};
  }
  std::string from_first(int status, std::string const& to) const {
    return first_.url("/" + std::to_string(status) + "?" + to, kHost);
  }

  RequestLog at_first_;
  RequestLog at_second_;
  Origin first_{at_first_.answering(&send_on), {}, kHost};
  Origin second_{at_second_.answering(Origin::ok("second origin")), {}, kHost};
};

constexpr auto const* kPost =
    R"(,"method":"POST","body":"{\"a\":1}","headers":{"Content-Type":"application/json"})";

TEST_F(RoadRedirect, APostBecomesAGetWithoutItsBodyOn301And302And303) {
  Gateway gateway{options()};
  for (int const status : {301, 302, 303}) {
    EXPECT_EQ(gateway.fetch(from_first(status, second_.url("/x", kHost)), kPost).text,
              "second origin");
    auto const before = at_first_.all().back();
    auto const after = at_second_.all().back();
    EXPECT_THAT(before, StartsWith("POST "));
    EXPECT_THAT(before, HasSubstr(R"({"a":1})"));
    EXPECT_THAT(after, StartsWith("GET /x HTTP/1.1\r\n"));
    EXPECT_THAT(after, Not(HasSubstr("Content-")));
    EXPECT_THAT(after, testing::EndsWith("\r\n\r\n"));
  }
}

TEST_F(RoadRedirect, APostStaysOneOn307And308) {
  Gateway gateway{options()};
  for (int const status : {307, 308}) {
    EXPECT_EQ(gateway.fetch(from_first(status, second_.url("/x", kHost)), kPost).text,
              "second origin");
    auto const after = at_second_.all().back();
    EXPECT_THAT(after, StartsWith("POST /x HTTP/1.1\r\n"));
    EXPECT_THAT(after, HasSubstr("application/json"));
    EXPECT_THAT(after, testing::EndsWith(R"({"a":1})"));
  }
}

constexpr auto const* kPersonal =
    R"(,"headers":{"Authorization":"Bearer mine","Cookie":"a=b","X-Custom":"c",)"
    R"("Accept-Language":"eo"})";

TEST_F(RoadRedirect, WhatTheCallerSaidToOneOriginIsNotSaidToAnother) {
  Gateway gateway{options()};

  gateway.fetch(from_first(302, second_.url("/x", kHost)), kPersonal);

  auto const before = at_first_.all().back();
  for (auto const* value : {"Bearer mine", "a=b", "X-Custom: c"}) {
    EXPECT_THAT(before, HasSubstr(value));
  }
  auto const after = at_second_.all().back();
  for (auto const* name : {"Authorization", "Cookie", "X-Custom", "Bearer mine", "a=b"}) {
    EXPECT_THAT(after, Not(HasSubstr(name)));
  }
  EXPECT_THAT(after, HasSubstr("Accept-Language: eo"));
}

TEST_F(RoadRedirect, WithinOneOriginItIsSaidAgain) {
  Gateway gateway{options()};

  EXPECT_EQ(gateway.fetch(from_first(302, "/stay"), kPersonal).text, "first origin");

  auto const after = at_first_.all().back();
  EXPECT_THAT(after, StartsWith("GET /stay HTTP/1.1\r\n"));
  for (auto const* value : {"Bearer mine", "a=b", "X-Custom: c"}) {
    EXPECT_THAT(after, HasSubstr(value));
  }
}

TEST_F(RoadRedirect, AnInjectedCredentialDoesNotFollow) {
  auto const rule = "  inject:\n  - header: X-Api-Key\n    value: very-secret-key\n    hosts: [\"" +
                    std::string{kHost} + "\"]\n    schemes: [http]\n    ports: [" +
                    std::to_string(first_.port()) + "]\n";
  Gateway gateway{options(rule)};

  EXPECT_EQ(gateway.fetch(from_first(302, second_.url("/x", kHost))).text, "second origin");

  EXPECT_THAT(at_first_.all().back(), HasSubstr("X-Api-Key: very-secret-key"));
  EXPECT_THAT(at_second_.all().back(), Not(HasSubstr("very-secret-key")));
  auto const record = gateway.records().front();
  EXPECT_THAT(json::to_text(record.hops()[0]), HasSubstr(R"("injected":)"));
  EXPECT_THAT(json::to_text(record.hops()[1]), Not(HasSubstr(R"("injected":)")));
}

TEST_F(RoadRedirect, LocationsMayBeRelative) {
  Gateway gateway{options()};
  auto const reach = [&](std::string const& location) {
    EXPECT_EQ(gateway.fetch(from_first(302, location)).text, "first origin") << location;
    return RequestLog::path_of(at_first_.all().back());
  };
  EXPECT_EQ(reach("/absolute/path"), "/absolute/path");
  EXPECT_EQ(reach("beside"), "/beside");
  EXPECT_EQ(reach("../../up"), "/up");
  EXPECT_EQ(reach("//" + place(first_) + "/network"), "/network");
  EXPECT_EQ(reach("/with#fragment"), "/with");
}

TEST_F(RoadRedirect, ALoopEndsAtTheLimit) {
  RequestLog log;
  Origin const loop{log.answering(redirect(302, "/again")), {}, kHost};
  Gateway gateway{{.egress = open({place(loop)})}};

  auto const reply = gateway.fetch(loop.url("/again", kHost));

  EXPECT_EQ(reply.code, "limit_exceeded");
  EXPECT_EQ(reply.text, "Error: More than 5 redirects; the last one came from " +
                            loop.url("/again", kHost) + ".");
  EXPECT_EQ(log.all().size(), 6);
  EXPECT_ONE_RECORD(gateway, reply, "limit_exceeded");
  EXPECT_EQ(gateway.records().front().hops().size(), 6);
}

TEST_F(RoadRedirect, AForbiddenAddressIsRefusedAfterTheFirstHop) {
  Origin const inside{Origin::answering(Origin::ok("SECRET")), {}, "127.0.0.3"};
  Gateway gateway{options()};
  std::vector<std::string> const targets{inside.url("/", "127.0.0.3"),
                                         inside.url("/", "localhost"),
                                         "http://169.254.169.254/latest/meta-data/",
                                         "http://[::1]/",
                                         "http://10.0.0.1/",
                                         "http://0x7f.3/",
                                         "http://metadata.google.internal/"};
  for (auto const& target : targets) {
    auto const reply = gateway.fetch(from_first(302, target));
    EXPECT_EQ(reply.code, "egress_blocked") << target << ": " << reply.text;
  }
  EXPECT_EQ(inside.connections(), 0);
  auto const records = gateway.records();
  ASSERT_EQ(records.size(), targets.size());
  for (auto const& record : records) {
    ASSERT_EQ(record.hops().size(), 2);
    EXPECT_EQ(record.hop(0, "connected"), kHost);
    EXPECT_EQ(record.hop(1, "connected"), "");
    EXPECT_EQ(record.text("verdict"), "denied");
  }
}

TEST_F(RoadRedirect, OtherSchemesAreNotFollowed) {
  Gateway gateway{options()};
  for (auto const* target : {"file:///etc/passwd", "ftp://example.com/", "gopher://example.com/x",
                             "data:text/plain,hello", "javascript:alert(1)"}) {
    auto const reply = gateway.fetch(from_first(302, target));
    EXPECT_TRUE(reply.is_error);
    EXPECT_EQ(reply.code, "egress_blocked") << target << ": " << reply.text;
  }
}

TEST_F(RoadRedirect, FromHttpsToHttpIsRefused) {
  CertificateAuthority authority;
  Origin const secure{Origin::answering(redirect(302, second_.url("/x", kHost))),
                      authority.issue({.names = "IP:127.0.0.2"}), kHost};
  Gateway gateway{{.egress = open({place(secure), place(second_)}) + "  ca_file: \"" +
                             authority.file() + "\"\n"}};

  auto const reply = gateway.fetch(secure.url("/", kHost));

  EXPECT_EQ(reply.code, "egress_blocked");
  EXPECT_THAT(reply.text, HasSubstr("redirects from https to http://"));
  EXPECT_EQ(second_.connections(), 0);
  EXPECT_ONE_RECORD(gateway, reply, "egress_blocked");
}

TEST_F(RoadRedirect, PolicyIsAskedForEachHop) {
  Gateway gateway{options("  deny:\n  - name: not there\n    path_prefixes: [/closed]\n")};

  auto const reply = gateway.fetch(from_first(302, second_.url("/closed/x", kHost)));

  EXPECT_EQ(reply.code, "policy_denied");
  EXPECT_EQ(second_.connections(), 0);
  auto const record = gateway.records().front();
  EXPECT_EQ(record.text("verdict"), "denied");
  EXPECT_THAT(json::to_text(record.body.at("reasons")), HasSubstr("not there"));
}

}  // namespace
}  // namespace sallyport::test
