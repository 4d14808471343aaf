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

std::string in_pieces(EchoMask const& mask, std::string_view text,
                      std::vector<std::size_t> const& cuts) {
  EchoStream stream{mask};
  std::string out;
  std::size_t begin = 0;
  for (auto const cut : cuts) {
    out += stream.pass(std::string{text.substr(begin, cut - begin)});
    begin = cut;
  }
  out += stream.pass(std::string{text.substr(begin)});
  return out + stream.finish();
}

TEST(EchoStream, CoversCredentialsWhereverThePiecesAreCut) {
  EchoMask mask;
  mask.add("Bearer tok-12345678");
  mask.add("tok-12345678-longer");                 // holds the other one
  mask.add("5678-longerlonger");                   // overlaps it
  mask.add("aaaaaaaaaa");                          // overlaps itself
  mask.add("Basic dXNlcjpwYXNzd29yZCBvZiBtaW5l");  // user:password of mine
  std::string const text =
      "x tok-12345678 tok-1234567 tok-12345678-longerlonger tok-tok-12345678-longe aaaaaaaaaaaaaaa"
      " password%20of%20mine dXNlcjpwYXNzd29yZCBvZiBtaW5l user:password of mine aaaaaaaaa tok-1";
  auto whole = text;
  mask.apply(whole);
  EXPECT_EQ(whole,
            "x ************ tok-1234567 ************************* tok-************-longe "
            "*************** ******************** **************************** "
            "********************* aaaaaaaaa tok-1");

  for (std::size_t first = 0; first <= text.size(); ++first) {
    for (std::size_t second = first; second <= text.size(); ++second) {
      ASSERT_EQ(in_pieces(mask, text, {first, second}), whole) << first << ' ' << second;
    }
  }
  std::vector<std::size_t> each;
  for (std::size_t i = 1; i < text.size(); ++i) each.push_back(i);
  EXPECT_EQ(in_pieces(mask, text, each), whole);
}

TEST(EchoStream, KeepsNothingBackThatCannotBeACredential) {
  EchoMask mask;
  mask.add("tok-12345678");
  EchoStream stream{mask};

  EXPECT_EQ(stream.pass("data: 1\n\n"), "data: 1\n\n");
  EXPECT_EQ(stream.pass("data: to"), "data: ");
  EXPECT_EQ(stream.pass("day\n\n"), "today\n\n");
  EXPECT_EQ(stream.pass("tok-1234"), "");
  EXPECT_EQ(stream.finish(), "tok-1234");
}

}  // namespace
}  // namespace sallyport::pipeline
