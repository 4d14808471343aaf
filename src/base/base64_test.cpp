#include "src/base/base64.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sallyport::base64 {
namespace {

// RFC 4648, section 10.
TEST(Base64, KnowsTheExamplesOfTheStandard) {
  struct Case {
    char const* bytes;
    char const* text;
    char const* url;
  };
  constexpr Case kCases[] = {{"", "", ""},
                             {"f", "Zg==", "Zg"},
                             {"fo", "Zm8=", "Zm8"},
                             {"foo", "Zm9v", "Zm9v"},
                             {"foob", "Zm9vYg==", "Zm9vYg"},
                             {"\xFB\xFF", "+/8=", "-_8"}};
  for (auto const& [bytes, text, url] : kCases) {
    EXPECT_EQ(encode(bytes), text);
    EXPECT_EQ(encode_url(bytes), url);
    EXPECT_EQ(decode(text), bytes);
    EXPECT_EQ(decode_url(url), bytes);
  }
}

TEST(Base64, GivesEveryByteBack) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));

  EXPECT_EQ(decode(encode(bytes)), bytes);
  EXPECT_EQ(decode_url(encode_url(bytes)), bytes);
}

TEST(Base64, RefusesWhatEncodeWouldNotHaveWritten) {
  for (char const* text :
       {"Zg", "Zg=", "Zg===", "Zh==", "Z", "====", "Zm9v\n", "Zm-_", "Z g=", "=Zg="}) {
    EXPECT_EQ(decode(text), std::nullopt) << text;
  }
  for (char const* text : {"Zg==", "Zh", "Z", "+/8", "Zm9v ", "Zm9vY"}) {
    EXPECT_EQ(decode_url(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace sallyport::base64
