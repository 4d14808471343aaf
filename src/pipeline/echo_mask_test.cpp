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

TEST(EchoMask, LeavesAnAnswerAloneWithoutASecret) {
  EchoMask const mask;
  std::string body = "as it was";
  mask.apply(body);
  EXPECT_EQ(body, "as it was");
}

}  // namespace
}  // namespace sallyport::pipeline
