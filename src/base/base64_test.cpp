#include "src/base/base64.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <utility>

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

// Written bit by bit: long texts go another way than short ones.
std::string encoded_slowly(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  unsigned value = 0;
  int bits = 0;
  for (char const byte : bytes) {
    for (int bit = 7; bit >= 0; --bit) {
      value = (value << 1U) | ((static_cast<unsigned char>(byte) >> bit) & 1U);
      if (++bits % 6 == 0) text += kDigits[std::exchange(value, 0)];
    }
  }
  while (bits % 6 != 0) {
    value <<= 1U;
    if (++bits % 6 == 0) text += kDigits[value];
  }
  while (text.size() % 4 != 0) text += '=';
  return text;
}

std::string with_url_digits(std::string text) {
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  std::erase(text, '=');
  return text;
}

TEST(Base64, WritesAndReadsTextsOfEveryLength) {
  std::mt19937 random{7};
  std::string bytes;
  for (std::size_t size = 0; size < 400; ++size) {
    auto const text = encoded_slowly(bytes);
    EXPECT_EQ(encode(bytes), text);
    EXPECT_EQ(encode_url(bytes), with_url_digits(text));
    EXPECT_EQ(decode(text), bytes);
    EXPECT_EQ(decode_url(with_url_digits(text)), bytes);
    std::string after = "before";
    append(after, bytes);
    EXPECT_EQ(after, "before" + text);
    bytes.push_back(static_cast<char>(random()));
  }
}

TEST(Base64, RefusesAWrongCharacterWhereverItStands) {
  std::string const bytes(150, '\xA7');
  for (auto const alphabet : {Alphabet::Standard, Alphabet::Url}) {
    auto const good = encode(bytes, alphabet);
    std::string_view const digits = alphabet == Alphabet::Standard ? "+/" : "-_";
    for (int byte = 0; byte < 256; ++byte) {
      auto const character = static_cast<char>(byte);
      bool const is_digit = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                            (byte >= '0' && byte <= '9') ||
                            digits.find(character) != std::string_view::npos;
      for (auto const at : {0UL, 31UL, 32UL, 77UL, 150UL, 190UL}) {
        auto text = good;
        text[at] = character;
        EXPECT_EQ(decode(text, alphabet).has_value(), is_digit) << byte << " at " << at;
      }
    }
  }
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
