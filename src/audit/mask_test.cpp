#include "src/audit/mask.hpp"

#include <gtest/gtest.h>

namespace sallyport::audit {
namespace {

std::string masked(std::string_view text, MaskRule const& rule = {}) {
  auto const url = url::Url::parse(text);
  return url ? masked_url(*url, rule) : "not a URL";
}

TEST(MaskedUrl, HidesUserFragmentAndValues) {
  EXPECT_EQ(masked("https://user:pass@example.com:8443/a/b?q=cats&key=s3cret&empty=&flag#frag"),
            "https://example.com:8443/a/b?q=***&key=***&empty=&***");
  EXPECT_EQ(masked("https://example.com/?"), "https://example.com/?");
  EXPECT_EQ(masked("mailto:someone@example.com"), "mailto:***");
  EXPECT_EQ(masked("https://example.com/?a=b=c&&d=e"), "https://example.com/?a=***&&d=***");
}

TEST(MaskedUrl, ShowsValuesOfAllowedParameters) {
  MaskRule const rule{{"page", "Sort By"}};

  EXPECT_EQ(masked("https://example.com/?PAGE=2&sort+by=name&p%61ge=3&token=x", rule),
            "https://example.com/?PAGE=2&sort+by=name&p%61ge=3&token=***");
}

TEST(MaskedUrl, HidesSegmentsThatLookLikeTokens) {
  for (auto const* token :
       {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "ghp_16C7e42F292c6912E7710c83",
        "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b", "xY7kQ2mNp9LsT4vWz8RbCd",
        "T024BE7LD-B02WXYZ12-aBcDeFgHiJkLmNoPqRsTuVwX", "123456:AAE8fGh-IjKlMnOpQrStUvWxYz012345",
        "%65yJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x"}) {
    EXPECT_EQ(masked("https://example.com/hook/" + std::string{token} + "/x"),
              "https://example.com/hook/***/x")
        << token;
  }
}

TEST(MaskedUrl, ShowsOrdinarySegments) {
  for (auto const* path :
       {"/index.html", "/wiki/Main_Page", "/2026/07/28/how-to-write-a-rather-long-title-in-2026",
        "/items/550e8400-e29b-41d4-a716-446655440000", "/v1/users/12345678901234567890",
        "/some_very_long_function_name_with_underscores", "/internationalization"}) {
    EXPECT_EQ(masked("https://example.com" + std::string{path}),
              "https://example.com" + std::string{path});
  }
}

TEST(MaskedUri, HidesTheSameAndLeavesTheRestAsItIs) {
  EXPECT_EQ(masked_uri("mcp://files/file:///a/../b%2F.%2E/c"),
            "mcp://files/file:///a/../b%2F.%2E/c");
  EXPECT_EQ(masked_uri("mcp://s/https://user:pass@h.example/x?q=cats&page=2#frag", {{"page"}}),
            "mcp://s/https://***@h.example/x?q=***&page=2");
  EXPECT_EQ(masked_uri("mcp://s/npm:@scope/ghp_16C7e42F292c6912E7710c83"), "mcp://s/***@scope/***");
}

TEST(MaskedText, ShowsNothingOfWhatIsNoUrl) {
  EXPECT_EQ(masked_text("https://user:pass@"), "https:***");
  EXPECT_EQ(masked_text("secret"), "***");
  EXPECT_EQ(masked_text("my secret is: 1"), "***");
}

}  // namespace
}  // namespace sallyport::audit
