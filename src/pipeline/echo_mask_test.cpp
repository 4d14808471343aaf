#include "src/pipeline/echo_mask.hpp"

#include <gtest/gtest.h>

namespace sallyport::pipeline {
namespace {

TEST(EchoMask, CoversEverySecretAndNothingElse) {
  EchoMask mask;
  mask.add("Bearer tok-12345678");
  mask.add("plain-key-0");
  mask.add("short");
  std::string body =
      R"({"Authorization": "Bearer tok-12345678", "again": "tok-12345678tok-12345678",
                         "key": "plain-key-0", "other": "short", "part": "tok-1234567"})";
  mask.apply(body);
  EXPECT_EQ(body, R"({"Authorization": "Bearer ************", "again": "************************",
                         "key": "***********", "other": "short", "part": "tok-1234567"})");
}

TEST(EchoMask, CoversHeadersInTheirOrder) {
  EchoMask mask;
  mask.add("tok-12345678");
  egress::ResponseHead head{.headers = {{"A", "1"}, {"Location", "/?t=tok-12345678"}, {"A", "2"}}};
  mask.apply(head);
  std::string shown;
  for (auto const& [name, value] : head.headers) shown += name + ":" + value + " ";
  EXPECT_EQ(shown, "A:1 Location:/?t=************ A:2 ");
}

TEST(EchoMask, CoversWhatBecomesOfASecretInOtherNotations) {
  EchoMask mask;
  mask.add("Token a/b\"c+d e&f=0");
  for (std::string const echoed :
       {R"(a/b"c+d e&f=0)", R"(a/b\"c+d e&f=0)", R"(a\/b\"c+d e&f=0)", "a%2Fb%22c%2Bd%20e%26f%3D0",
        "a%2fb%22c%2bd%20e%26f%3d0", "a%2Fb%22c%2Bd+e%26f%3D0", "a/b&quot;c+d e&amp;f=0"}) {
    std::string body = "<" + echoed + ">";
    EXPECT_TRUE(mask.finds_in(body)) << echoed;
    mask.apply(body);
    EXPECT_EQ(body, "<" + std::string(echoed.size(), '*') + ">");
  }
}

TEST(EchoMask, CoversTheLoginInsideBasicCredentials) {
  EchoMask mask;
  mask.add("Basic dXNlcjpwYXNzd29yZC0x");  // user:password-1
  std::string body = "dXNlcjpwYXNzd29yZC0x user:password-1 \"password-1\" user";
  mask.apply(body);
  EXPECT_EQ(body, "******************** *************** \"**********\" user");
}

TEST(EchoMask, CoversTheReasonOfAnAnswer) {
  EchoMask mask;
  mask.add("tok-12345678");
  egress::ResponseHead head{.reason = "Bad tok-12345678"};
  mask.apply(head);
  EXPECT_EQ(head.reason, "Bad ************");
}

TEST(EchoMask, LeavesAnAnswerAloneWithoutASecret) {
  EchoMask const mask;
  std::string body = "as it was";
  mask.apply(body);
  EXPECT_EQ(body, "as it was");
}

}  // namespace
}  // namespace sallyport::pipeline
