#include "src/store/digest.hpp"

#include "src/base/base64.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace sallyport::store {
namespace {

// FIPS 180-4, "abc".
TEST(Digest, IsSha256) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_base64url("abc"), "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
  EXPECT_TRUE(equal_in_constant_time(sha256("abc"), sha256("abc")));
  EXPECT_FALSE(equal_in_constant_time(sha256("abc"), sha256("abd")));
}

TEST(Base64url, EncodesAndDecodesEachLength) {
  for (auto const& [bytes, text] : {std::pair<std::string, std::string>{"", ""},
                                    {"f", "Zg"},
                                    {"fo", "Zm8"},
                                    {"foo", "Zm9v"},
                                    {"foob", "Zm9vYg"},
                                    {"\xFB\xFF", "-_8"}}) {
    EXPECT_EQ(base64::encode_url(bytes), text);
    EXPECT_EQ(base64::decode_url(text), bytes);
  }
}

TEST(Base64url, RefusesASecondSpellingOfTheSameBytes) {
  for (auto const* text :
       {"Zg==", "Zh", "Zm9", "Z", "Zm9vY", "Zm+v", "Zm/v", " Zg", "Zg\n", "Z g"}) {
    EXPECT_FALSE(base64::decode_url(text)) << text;
  }
}

}  // namespace
}  // namespace sallyport::store
