#include "src/rego/crypto/base64.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego::crypto {
namespace {

TEST(GoBase64, ReadsWhatGoReads) {
  EXPECT_EQ(decode_base64("aGVsbG8=", Base64::Standard).bytes, "hello");
  EXPECT_EQ(decode_base64("aGVs\r\nbG8\n=", Base64::Standard).bytes, "hello");
  EXPECT_EQ(decode_base64("YR==", Base64::Standard).bytes, "a");  // bits behind the byte
  EXPECT_EQ(decode_base64url("aGVsbG8").bytes, "hello");
  EXPECT_EQ(decode_base64url("-_-_").bytes, "\xfb\xff\xbf");
  EXPECT_EQ(decode_any_base64("+/+/").bytes, "\xfb\xff\xbf");
  EXPECT_EQ(decode_base64("", Base64::Standard).problem, "");
}

TEST(GoBase64, NamesTheByteThatIsWrong) {
  struct Case {
    char const* text;
    char const* problem;
  };
  for (auto const& [text, problem] : std::initializer_list<Case>{
           {"invalid", "illegal base64 data at input byte 4"},
           {"foobar", "illegal base64 data at input byte 4"},
           {"a*", "illegal base64 data at input byte 1"},
           {"=", "illegal base64 data at input byte 0"},
           {"ab=", "illegal base64 data at input byte 3"},
           {"ab=c", "illegal base64 data at input byte 2"},
           {"abc=d", "illegal base64 data at input byte 4"},
           {"-_-_", "illegal base64 data at input byte 0"},
       }) {
    EXPECT_EQ(decode_base64(text, Base64::Standard).problem, problem) << text;
  }
  EXPECT_EQ(decode_base64url("abcde").problem, "illegal base64url string: abcde");
}

}  // namespace
}  // namespace sallyport::rego::crypto
