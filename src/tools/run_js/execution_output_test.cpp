#include "src/tools/run_js/execution_output.hpp"

#include <gtest/gtest.h>

namespace sallyport::tools {
namespace {

constexpr std::size_t kPlenty = 1024 * 1024;

ExecutionOutput output_of(std::vector<std::string> const& texts, std::size_t most = kPlenty) {
  ExecutionOutput output{most};
  for (auto const& text : texts) output.add(text);
  return output;
}

TEST(ExecutionOutput, EndsEachTextWithALineAndCountsLinesInside) {
  auto const output = output_of({"one", "two\nthree", "", "four\n"});

  auto const page = output.lines(0, 100, kPlenty);

  EXPECT_EQ(page.data, "one\ntwo\nthree\n\nfour\n\n");
  EXPECT_EQ(page.total_lines, 6U);
  EXPECT_EQ(page.end_line, 6U);
  EXPECT_EQ(page.end_byte, page.total_bytes);
  EXPECT_FALSE(page.has_more());
}

TEST(ExecutionOutput, GivesLinesInPagesThatFitTogether) {
  auto const output = output_of({"a", "bb", "ccc", "dddd", "eeeee"});
  std::string all;

  for (std::size_t line = 0; line < output.total_lines();) {
    auto const page = output.lines(line, 2, kPlenty);
    EXPECT_EQ(page.start_line, line);
    EXPECT_EQ(page.start_byte, all.size());
    all += page.data;
    EXPECT_EQ(page.end_byte, all.size());
    ASSERT_GT(page.end_line, line);
    line = page.end_line;
  }

  EXPECT_EQ(all, "a\nbb\nccc\ndddd\neeeee\n");
}

TEST(ExecutionOutput, APageOfLinesHasNoMoreBytesThanAllowed) {
  auto const output = output_of({"1234", "1234", "1234"});

  auto const page = output.lines(0, 100, 11);

  EXPECT_EQ(page.data, "1234\n1234\n");
  EXPECT_EQ(page.end_line, 2U);
  EXPECT_TRUE(page.has_more());
  EXPECT_FALSE(page.cuts_line);
  EXPECT_EQ(output.lines(0, 100, 10).data, "1234\n1234\n");
  EXPECT_EQ(output.lines(0, 100, 9).data, "1234\n");
}

TEST(ExecutionOutput, CutsALineThatIsTooLongAllAlone) {
  auto const output = output_of({"short", "a very long line", "end"});

  auto const page = output.lines(1, 100, 6);
  auto const rest = output.bytes(page.end_byte, 100);

  EXPECT_EQ(page.data, "a very");
  EXPECT_TRUE(page.cuts_line);
  EXPECT_EQ(page.end_line, 2U);
  EXPECT_EQ(rest.data, " long line\nend\n");
  EXPECT_EQ(rest.start_line, 1U);
}

TEST(ExecutionOutput, BeyondTheEndThereIsNothing) {
  auto const output = output_of({"one"});

  for (auto const& page : {output.lines(1, 10, kPlenty), output.lines(77, 10, kPlenty),
                           output.bytes(4, 10), output.bytes(9999, 10)}) {
    EXPECT_EQ(page.data, "");
    EXPECT_EQ(page.start_line, 1U);
    EXPECT_EQ(page.end_line, 1U);
    EXPECT_EQ(page.end_byte, 4U);
    EXPECT_FALSE(page.has_more());
  }
  EXPECT_EQ(output_of({}).lines(0, 10, kPlenty).total_lines, 0U);
  EXPECT_EQ(output_of({}).bytes(0, 10).data, "");
}

TEST(ExecutionOutput, PagesOfBytesNeverSplitACharacter) {
  std::string const text = "aä€😀z";  // of 1, 2, 3, 4 and 1 bytes
  auto const output = output_of({text});

  for (std::size_t limit = 1; limit <= text.size() + 1; ++limit) {
    std::string all;
    for (std::size_t at = 0; at < output.total_bytes();) {
      auto const page = output.bytes(at, limit);
      ASSERT_GT(page.end_byte, at) << "no progress with limit " << limit;
      EXPECT_NE(static_cast<unsigned char>(page.data[0]) & 0xC0U, 0x80U) << limit;
      EXPECT_EQ(page.start_byte, at);
      all += page.data;
      at = page.end_byte;
    }
    EXPECT_EQ(all, text + "\n") << limit;
  }
}

TEST(ExecutionOutput, AnOffsetInsideACharacterMovesToTheNext) {
  auto const output = output_of({"ä€!"});

  EXPECT_EQ(output.bytes(1, 100).data, "€!\n");
  EXPECT_EQ(output.bytes(3, 100).data, "!\n");
  EXPECT_EQ(output.bytes(3, 100).start_byte, 5U);
}

TEST(ExecutionOutput, CutsLongLinesBetweenCharacters) {
  auto const output = output_of({"€€€"});

  EXPECT_EQ(output.lines(0, 1, 4).data, "€");
  EXPECT_EQ(output.lines(0, 1, 1).data, "€");
}

TEST(ExecutionOutput, DropsWhatGoesBeyondItsLimitAndSaysSo) {
  auto const output = output_of({"1234", "a€€", "more"}, 10);

  EXPECT_EQ(output.bytes(0, 100).data, "1234\na€");
  EXPECT_TRUE(output.is_cut());
  EXPECT_EQ(output.total_lines(), 2U);
  EXPECT_FALSE(output_of({"1234", "1234"}, 10).is_cut());
  EXPECT_TRUE(output_of({"1234", "12345"}, 10).is_cut());
  EXPECT_LE(output_of({std::string(500, '\n')}, 100).total_bytes(), 100U);
}

}  // namespace
}  // namespace sallyport::tools
