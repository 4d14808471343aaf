#include "src/content/charset.hpp"

#include "src/content/charset_prescan.hpp"
#include "src/content/utf8.hpp"

#include <gtest/gtest.h>

namespace sallyport::content {
namespace {

using namespace std::string_literals;

TEST(Charset, DecodesWhatTheHeaderNames) {
  struct Case {
    char const* declared;
    char const* bytes;
    char const* text;
    char const* charset;
  };
  constexpr Case kCases[] = {
      {"windows-1251", "\xCF\xF0\xE8\xE2\xE5\xF2", "Привет", "windows-1251"},
      {"windows-1255", "\xF9\xEC\xE5\xED", "שלום", "windows-1255"},
      {"euc-kr", "\xBE\xC8\xB3\xE7", "안녕", "euc-kr"},
      {"shift_jis", "\x93\xFA\x96\x7B", "日本", "shift_jis"},
      {"euc-jp", "\xC6\xFC\xCB\xDC", "日本", "euc-jp"},
      {"iso-2022-jp", "\x1B$BF|K\\\x1B(B", "日本", "iso-2022-jp"},
      {"gbk", "\xC4\xE3\xBA\xC3", "你好", "gbk"},
      {"big5", "\xA7\x41\xA6\x6E", "你好", "big5"},
      {"koi8-r", "\xF0\xD2\xC9", "При", "koi8-r"},
      {"UTF-8", "gr\xC3\xBC\xC3\x9F", "grüß", "utf-8"},
  };
  for (auto const& [declared, bytes, text, charset] : kCases) {
    auto const decoded = to_utf8(bytes, declared, false);

    EXPECT_EQ(decoded.text, text) << declared;
    EXPECT_EQ(decoded.charset, charset) << declared;
    EXPECT_FALSE(decoded.replaced) << declared;
  }
}

TEST(Charset, ReadsLabelsAsTheWebDoes) {
  struct Case {
    char const* label;
    char const* bytes;
    char const* text;
    char const* charset;
  };
  constexpr Case kCases[] = {
      {"latin1", "\x80\x93quoted\x94", "€“quoted”", "windows-1252"},
      {"ISO-8859-1", "caf\xE9", "café", "windows-1252"},
      {" us-ascii ", "na\xEFve", "naïve", "windows-1252"},
      {"iso-8859-9", "\xFE", "ş", "windows-1254"},
      {"tis-620", "\xA1", "ก", "windows-874"},
      // The euro sign and the four-byte form are not in GB 2312.
      {"gb2312", "\x81\x30\x81\x30", "\xC2\x80", "gbk"},
      {"ks_c_5601-1987", "\x81\x41", "갂", "euc-kr"},
      {"x-sjis", "\x87\x40", "①", "shift_jis"},
      {"utf8", "\xE2\x82\xAC", "€", "utf-8"},
  };
  for (auto const& [label, bytes, text, charset] : kCases) {
    auto const decoded = to_utf8(bytes, label, false);

    EXPECT_EQ(decoded.text, text) << label;
    EXPECT_EQ(decoded.charset, charset) << label;
  }
}

TEST(Charset, AByteOrderMarkBeatsTheHeaderAndIsLeftOut) {
  EXPECT_EQ(to_utf8("\xEF\xBB\xBFh\xC3\xA9", "windows-1251", false).text, "hé");
  EXPECT_EQ(to_utf8("\xFF\xFEh\0\xE9\0"s, "utf-8", false).text, "hé");
  EXPECT_EQ(to_utf8("\xFE\xFF\0h\0\xE9"s, "", true).charset, "utf-16be");
}

TEST(Charset, FollowsAMetaOfThePage) {
  for (auto const* const head : {
           "<html><head><meta charset=windows-1251>",
           "<!-- <meta charset=utf-8> --><META CharSet = 'windows-1251' />",
           "<meta http-equiv=Content-Type content='text/html; charset=windows-1251'>",
           "<meta content=\"text/html;charset='windows-1251'\" http-equiv='content-type'>",
           "<?xml version='1.0' encoding='windows-1251'?><html>",
       }) {
    auto const decoded = to_utf8(head + "\xCF\xF0\xE8"s, "", true);

    EXPECT_EQ(decoded.charset, "windows-1251") << head;
    EXPECT_TRUE(decoded.text.ends_with("При")) << head;
  }
}

TEST(Charset, FindsNoMetaWhereBrowsersFindNone) {
  for (auto const* const head : {
           "<!-- <meta charset=windows-1251> -->",
           "<p title='<meta charset=windows-1251>'>",
           "<metadata charset=windows-1251>",
           "<meta name=x content='charset=windows-1251'>",
           "<meta charset>",
           "<!-- <meta charset=windows-1251>",
       }) {
    EXPECT_EQ(meta_charset(head), "") << head;
  }
  EXPECT_EQ(meta_charset(std::string(1024, ' ') + "<meta charset=windows-1251>"), "");
}

TEST(Charset, AMetaCannotSayUtf16) {
  EXPECT_EQ(to_utf8("<meta charset=utf-16>h\xC3\xA9", "", true).charset, "utf-8");
}

TEST(Charset, TheHeaderBeatsTheMeta) {
  EXPECT_EQ(to_utf8("<meta charset=windows-1251>\xE9", "iso-8859-1", true).charset, "windows-1252");
}

TEST(Charset, AnUnknownLabelIsAsGoodAsNone) {
  EXPECT_EQ(to_utf8("h\xC3\xA9", "no-such-thing", false).text, "hé");
}

TEST(Charset, RecognisesUtf16WithoutAMark) {
  EXPECT_EQ(to_utf8("h\0e\0l\0l\0o\0 \0w\0"s, "", false).text, "hello w");
  EXPECT_EQ(to_utf8("\0h\0e\0l\0l\0o\0 \0w"s, "", false).charset, "utf-16be");
}

TEST(Charset, DetectsWhatNobodyNamed) {
  // "Съешь же ещё этих мягких французских булок, да выпей чаю" in windows-1251.
  auto const russian =
      "\xD1\xFA\xE5\xF8\xFC \xE6\xE5 \xE5\xF9\xB8 \xFD\xF2\xE8\xF5 \xEC\xFF\xE3\xEA\xE8\xF5 "
      "\xF4\xF0\xE0\xED\xF6\xF3\xE7\xF1\xEA\xE8\xF5 \xE1\xF3\xEB\xEE\xEA, \xE4\xE0 "
      "\xE2\xFB\xEF\xE5\xE9 \xF7\xE0\xFE"s;

  auto const after_a_long_ascii_head = std::string(200'000, 'x') + " " + russian;

  EXPECT_EQ(to_utf8(russian, "", false).charset, "windows-1251");
  EXPECT_EQ(to_utf8(after_a_long_ascii_head, "", false).charset, "windows-1251");
  EXPECT_EQ(to_utf8("plain", "", false).charset, "utf-8");
  EXPECT_EQ(to_utf8("\x1B$BF|K\\\x1B(B, \x1B$BF|K\\\x1B(B", "", false).text, "日本, 日本");
  EXPECT_EQ(to_utf8("\xFF", "", false).text, "ÿ");
}

TEST(Charset, OneBadByteDoesNotMakeUtf8AnotherEncoding) {
  auto const decoded = to_utf8("Привет, \xFFмир и все", "", false);

  EXPECT_EQ(decoded.charset, "utf-8");
  EXPECT_EQ(decoded.text, "Привет, \uFFFDмир и все");
}

TEST(Charset, WhatHasNoMeaningBecomesTheReplacementCharacter) {
  struct Case {
    std::string bytes;
    char const* declared;
    char const* text;
  };
  Case const cases[] = {
      {"a\xFF"
       "b",
       "utf-8", "a\uFFFDb"},
      {"a\xC3", "utf-8", "a\uFFFD"},
      {"\xE2\x82"
       "a",
       "utf-8", "\uFFFDa"},
      {"\xED\xA0\x80", "utf-8", "\uFFFD\uFFFD\uFFFD"},  // half a pair
      {"\xC0\x80", "utf-8", "\uFFFD\uFFFD"},            // overlong
      {"\xF4\x90\x80\x80", "utf-8", "\uFFFD\uFFFD\uFFFD\uFFFD"},
      {"\x00\xD8"
       "a\0"s,
       "utf-16le", "\uFFFDa"},
      {"a\0"
       "b"s,
       "utf-16le", "a\uFFFD"},
      {"\x81\xFF!", "shift_jis", nullptr},
  };
  for (auto const& [bytes, declared, text] : cases) {
    auto const decoded = to_utf8(bytes, declared, false);

    EXPECT_TRUE(decoded.replaced) << declared;
    if (text != nullptr) {
      EXPECT_EQ(decoded.text, text) << declared;
    }
    EXPECT_EQ(valid_utf8_prefix(decoded.text), decoded.text.size()) << declared;
    EXPECT_EQ(decoded.text.find('\x1A'), std::string::npos) << declared;
  }
}

TEST(Charset, DecodesLongTextsWhole) {
  std::string bytes;
  for (int i = 0; i < 300'000; ++i) bytes += "\x93\xFA";

  auto const decoded = to_utf8(bytes, "shift_jis", false);

  EXPECT_EQ(decoded.text.size(), 900'000u);
  EXPECT_TRUE(decoded.text.ends_with("日日"));
}

TEST(Charset, AnEmptyTextIsUtf8) {
  auto const decoded = to_utf8("", "", true);

  EXPECT_EQ(decoded.text, "");
  EXPECT_EQ(decoded.charset, "utf-8");
}

}  // namespace
}  // namespace sallyport::content
