#include "src/http/chunked.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace sallyport::http {
namespace {

using State = ChunkedDecoder::State;

TEST(ChunkedDecoder, PutsTheBodyTogetherHoweverItIsCut) {
  std::string_view const bytes =
      "5;x=\"y\"\r\nhello\r\n1\r\n \r\n5\r\nworld\r\n0\r\nT: x\r\n\r\nnext";
  for (std::size_t cut = 1; cut <= bytes.size(); ++cut) {
    ChunkedDecoder decoder{11};
    std::string body;
    std::string_view unread;
    auto state = State::More;
    for (std::size_t end = cut; state == State::More; end += cut) {
      auto const begin = end - cut;
      ASSERT_LT(begin, bytes.size());
      unread = bytes.substr(begin, cut);
      state = decoder.decode(unread, body);
    }
    EXPECT_EQ(state, State::Done) << cut;
    EXPECT_EQ(body, "hello world") << cut;
    EXPECT_TRUE(std::string_view{"next"}.starts_with(unread)) << cut;
  }
}

TEST(ChunkedDecoder, RefusesWhatIsMalformed) {
  std::string_view const cases[] = {
      "\r\n",          "x\r\n",       "-1\r\n",      "+1\r\n",
      "0x1\r\na\r\n",  " 1\r\na\r\n", "1 \r\na\r\n", "1\na\n",
      "1\r\nab\r\n",   "1\r\na\n",    "1\r\r\na",    ";x\r\n",
      "0\r\nT: x\n\n", "1;a\nb\r\na", "0\r\n\rX",    "1000000000000000\r\n",
  };
  for (auto const bytes : cases) {
    ChunkedDecoder decoder{1 << 20};
    std::string body;
    auto unread = bytes;
    EXPECT_EQ(decoder.decode(unread, body), State::Malformed) << bytes;
  }
}

TEST(ChunkedDecoder, RefusesABodyThatGrowsTooLarge) {
  ChunkedDecoder decoder{4};
  std::string body;
  std::string_view unread = "3\r\nabc\r\n2\r\n";

  EXPECT_EQ(decoder.decode(unread, body), State::TooLarge);
  EXPECT_EQ(body, "abc");
}

TEST(ChunkedDecoder, BoundsExtensionsAndTrailers) {
  std::string const long_text(10'000, 'a');
  for (auto const& bytes : {"1;" + long_text, "0\r\nT: " + long_text}) {
    ChunkedDecoder decoder{100};
    std::string body;
    std::string_view unread = bytes;
    EXPECT_EQ(decoder.decode(unread, body), State::Malformed);
  }
}

TEST(ChunkHead, IsTheSizeInHex) {
  std::string out;
  append_chunk_head(out, 26);

  EXPECT_EQ(out, "1a\r\n");
}

}  // namespace
}  // namespace sallyport::http
