#include "src/json/schema/pattern.hpp"

#include <gtest/gtest.h>

namespace sallyport::json {
namespace {

struct Case {
  std::string_view pattern;
  std::string_view text;
  bool found;
};

TEST(Pattern, ReadsEcmaSyntax) {
  for (auto const& [pattern, text, found] : {
           Case{"a+", "xxaayy", true},
           Case{"^a$", "a\n", false},
           Case{R"(^\d+$)", "123", true},
           Case{R"(^\d+$)", "\u0967", false},
           Case{R"(^\s$)", "\u00a0", true},
           Case{R"(^\s$)", "\ufeff", true},
           Case{R"(^\s$)", "\u2029", true},
           Case{R"(^\s$)", "\v", true},
           Case{R"(^\S$)", "\u3000", false},
           Case{R"(^[\s\S]$)", "\n", true},
           Case{R"(^[^\s]$)", "\u2003", false},
           Case{R"(^\S+$)", "a\u00e9\U0001F600", true},
           Case{"^.$", "\r", false},
           Case{"^.$", "\U0001F432", true},
           Case{R"(^\uD83D\uDC32$)", "\U0001F432", true},
           Case{R"(^\u{1F432}$)", "\U0001F432", true},
           Case{R"(^\u0041\x42\cJ\0$)", std::string_view{"AB\n\0", 4}, true},
           Case{R"(^[\b]$)", "\b", true},
           Case{R"(\bfoo\b)", "a foo b", true},
           Case{"[]", "a", false},
           Case{"^[^]$", "\n", true},
           Case{"^[[:a]$", "[", true},
           Case{"^(?<year>[0-9]{4})$", "2024", true},
           Case{R"(^\p{Letter}+$)", "h\u00e9llo", true},
           Case{R"(^\p{Script=Greek}$)", "\u03b1", true},
           Case{R"(^\P{L}$)", "1", true},
           Case{R"(^a\/b\-c\.\$$)", "a/b-c.$", true},
           Case{R"(^\W$)", "\u00e9", true},
       }) {
    auto const compiled = Pattern::create(pattern);

    ASSERT_TRUE(compiled) << pattern << ": " << compiled.error().message;
    EXPECT_EQ(compiled->found_in(text), found) << pattern << " in " << text;
  }
}

TEST(Pattern, RefusesWhatCannotRunInLinearTime) {
  for (std::string_view const pattern : {"(?=a)", "(?!a)", "(?<=a)", "(?<!a)", R"((a)\1)",
                                         R"((?<n>a)\k<n>)", "((a{100}){100}){100}"}) {
    auto const compiled = Pattern::create(pattern);

    ASSERT_FALSE(compiled) << pattern;
    EXPECT_EQ(compiled.error().code, Errc::InvalidInput);
  }
}

TEST(Pattern, RefusesWhatIsNotEcma) {
  for (std::string_view const pattern :
       {"[a", "(a", "a)", "*", R"(\)", R"(\a)", R"(\Qa\E)", R"(\Z)", R"(\A)", R"(\u12)",
        R"(\uD83D)", R"(\uDC32)", R"(\x1)", R"(\p{Nonsense})", R"(\p)", R"(\u{110000})", "(?<name",
        R"(\u{)"}) {
    EXPECT_FALSE(Pattern::create(pattern)) << pattern;
  }
}

TEST(Pattern, StaysLinearOnTheClassicTrap) {
  auto const pattern = Pattern::create("^(a+)+$");

  ASSERT_TRUE(pattern);
  EXPECT_FALSE(pattern->found_in(std::string(100'000, 'a') + "!"));
}

}  // namespace
}  // namespace sallyport::json
