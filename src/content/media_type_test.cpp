#include "src/content/media_type.hpp"

#include <gtest/gtest.h>

namespace sallyport::content {
namespace {

using namespace std::string_literals;

TEST(MediaType, ReadsEssenceAndCharset) {
  struct Case {
    char const* text;
    char const* essence;
    char const* charset;
  };
  constexpr Case kCases[] = {
      {"text/html", "text/html", ""},
      {"Text/HTML; Charset=UTF-8", "text/html", "utf-8"},
      {" text/html ;charset = \"windows-1251\" ", "text/html", "windows-1251"},
      {"text/plain; a=\"x;charset=no\"; charset=koi8-r; charset=utf-8", "text/plain", "koi8-r"},
      {"application/ld+json;profile=\"a\\\"b\"", "application/ld+json", ""},
      {"text/html;;charset=utf-8;", "text/html", "utf-8"},
      {"", "", ""},
      {"html", "", ""},
      {"text/", "", ""},
      {"te xt/html", "", ""},
      {"text/html/x", "", ""},
      {"text/html;charset", "text/html", ""},
      {"text/html;charset=\"", "text/html", ""},
  };
  for (auto const& [text, essence, charset] : kCases) {
    auto const type = MediaType::parse(text);

    EXPECT_EQ(type.essence, essence) << text;
    EXPECT_EQ(type.charset, charset) << text;
  }
}

Sniffed sniffed(std::string const& bytes, char const* declared = "") {
  return sniff(bytes, MediaType::parse(declared));
}

std::string mp3() {
  // Two frames of MPEG 1 layer III, 128 kbit/s, 44.1 kHz: 417 bytes each.
  auto const frame = "\xFF\xFB\x90\x00"s + std::string(413, '\1');
  return frame + frame;
}

std::string bitmap() {
  auto bytes = "BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"s;
  return bytes + std::string(52, '\0');
}

TEST(Sniff, TheBytesDecideAboutMedia) {
  struct Case {
    std::string bytes;
    Kind kind;
    char const* essence;
  };
  Case const cases[] = {
      {"\x89PNG\r\n\x1A\n...", Kind::Image, "image/png"},
      {"\xFF\xD8\xFF\xE0..", Kind::Image, "image/jpeg"},
      {"GIF89a....", Kind::Image, "image/gif"},
      {"RIFF\x24\0\0\0WEBPVP8 "s, Kind::Image, "image/webp"},
      {bitmap(), Kind::Image, "image/bmp"},
      {"\0\0\1\0\1\0\x10\x10"s, Kind::Image, "image/x-icon"},
      {"\0\0\0\x1C"
       "ftypavif\0\0\0\0mif1miaf...."s,
       Kind::Image, "image/avif"},
      {"\0\0\0\x1C"
       "ftypmif1\0\0\0\0avifmiaf...."s,
       Kind::Image, "image/avif"},
      {"RIFF\x24\0\0\0WAVEfmt "s, Kind::Audio, "audio/wav"},
      {"FORM\0\0\0\x24"
       "AIFFCOMM"s,
       Kind::Audio, "audio/aiff"},
      {"OggS\0\2......"s, Kind::Audio, "audio/ogg"},
      {"OggS\0\2......\x80theora"s, Kind::Binary, "video/ogg"},
      {"fLaC\0\0\0\x22"s, Kind::Audio, "audio/flac"},
      {"MThd\0\0\0\6\0\1"s, Kind::Audio, "audio/midi"},
      {"ID3\4\0\0\0\0\1\1...."s, Kind::Audio, "audio/mpeg"},
      {mp3(), Kind::Audio, "audio/mpeg"},
      {"\0\0\0\x18"
       "ftypM4A \0\0\0\0isommp42"s,
       Kind::Audio, "audio/mp4"},
      {"\0\0\0\x18"
       "ftypisom\0\0\0\0isommp42"s,
       Kind::Binary, "video/mp4"},
      {"%PDF-1.7\n", Kind::Pdf, "application/pdf"},
      {"PK\3\4....", Kind::Binary, "application/zip"},
      {"\x1F\x8B\x08..", Kind::Binary, "application/gzip"},
  };
  for (auto const& [bytes, kind, essence] : cases) {
    for (auto const* const declared : {"", "text/html", "text/plain", "application/octet-stream"}) {
      auto const found = sniffed(bytes, declared);

      EXPECT_EQ(found.kind, kind) << essence << " declared " << declared;
      EXPECT_EQ(found.essence, essence) << " declared " << declared;
    }
  }
}

TEST(Sniff, TextThatBeginsLikeAFileIsText) {
  for (auto const* const text :
       {"BMW builds cars in Munich since long ago, and they are blue.", "ID3 tags are a mess.",
        "RIFF is a file format of 1991, as is WAVE.", "FORM AND FUNCTION, BOTH", "fLaC is lossless",
        "MThd is a chunk.", "\xFF\xFB\x90\xE0 is a word in windows-1251", "wOFF wOF2",
        "....ftyp is a box of some kind, isom"}) {
    EXPECT_EQ(sniffed(text, "text/plain").kind, Kind::Text) << text;
  }
}

TEST(Sniff, TheDeclaredTypeDecidesBetweenKindsOfText) {
  struct Case {
    char const* declared;
    Kind kind;
  };
  constexpr Case kCases[] = {
      {"text/html", Kind::Html},        {"application/xhtml+xml", Kind::Html},
      {"application/json", Kind::Json}, {"application/problem+json", Kind::Json},
      {"application/xml", Kind::Xml},   {"application/rss+xml", Kind::Xml},
      {"image/svg+xml", Kind::Xml},     {"text/plain", Kind::Text},
      {"text/markdown", Kind::Text},    {"application/javascript", Kind::Text},
      {"application/yaml", Kind::Text},
  };
  for (auto const& [declared, kind] : kCases) {
    auto const found = sniffed("<html>{}", declared);

    EXPECT_EQ(found.kind, kind) << declared;
    EXPECT_EQ(found.essence, declared);
  }
}

TEST(Sniff, TextWithoutAUsableTypeIsLookedAt) {
  for (auto const* const declared : {"", "application/octet-stream", "image/png", "junk"}) {
    EXPECT_EQ(sniffed("\n <!DOCTYPE html><p>", declared).kind, Kind::Html) << declared;
    EXPECT_EQ(sniffed("<html lang=en>", declared).kind, Kind::Html) << declared;
    EXPECT_EQ(sniffed("\xEF\xBB\xBF<?xml version='1.0'?>", declared).kind, Kind::Xml) << declared;
    EXPECT_EQ(sniffed("<abbr> is no start of a page", declared).essence, "text/plain") << declared;
    EXPECT_EQ(sniffed("hello\n", declared).kind, Kind::Text) << declared;
  }
}

TEST(Sniff, BytesThatAreNoTextAreBinaryWhateverTheyAreCalled) {
  auto const noise = "\1\2\3\0\0\4\5\6\x0E\x0F\x10 abc"s;

  EXPECT_EQ(sniffed(noise, "text/html").kind, Kind::Binary);
  EXPECT_EQ(sniffed(noise, "text/html").essence, "application/octet-stream");
  EXPECT_EQ(sniffed(noise, "application/x-thing").essence, "application/x-thing");
  EXPECT_EQ(sniffed(noise).kind, Kind::Binary);
}

TEST(Sniff, AStrayControlCharacterDoesNotMakeAPageBinary) {
  auto const page = "<html><body>" + std::string(500, 'x') + "\0\1"s;

  EXPECT_EQ(sniffed(page, "text/html").kind, Kind::Html);
}

TEST(Sniff, Utf16IsText) {
  EXPECT_EQ(sniffed("\xFF\xFEh\0i\0"s, "text/plain").kind, Kind::Text);
  EXPECT_EQ(sniffed("h\0e\0l\0l\0o\0"s, "text/plain").kind, Kind::Text);
  EXPECT_EQ(sniffed("\1\0\2\0\3\0\4\0\5\0\6\0"s).kind, Kind::Binary);
}

TEST(Sniff, OfficeFilesKeepTheirDeclaredType) {
  auto const* const word =
      "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

  EXPECT_EQ(sniffed("PK\3\4....", word).essence, word);
}

TEST(Sniff, NothingIsEmpty) {
  EXPECT_EQ(sniffed("", "text/html").kind, Kind::Empty);
}

}  // namespace
}  // namespace sallyport::content
