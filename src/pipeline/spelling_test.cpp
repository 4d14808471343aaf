#include "src/pipeline/spelling.hpp"

#include <gtest/gtest.h>

namespace sallyport::pipeline {
namespace {

TEST(Spelling, PassesWhatEveryoneReadsAlike) {
  for (auto const* url : {"https://example.com/a/b?c=d#e", "/relative?x=@y", "https://example.com",
                          "https://example.com/@user", "https://example.com/?q=\\"}) {
    EXPECT_TRUE(check_spelling(url)) << url;
  }
}

TEST(Spelling, RefusesAUrlOfMoreThan64KiB) {
  std::string url = "https://example.com/";
  url.resize(64UL * 1024, 'a');
  EXPECT_TRUE(check_spelling(url));
  url += 'a';
  auto const checked = check_spelling(url);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message, "The URL has 65537 bytes, but at most 65536 are allowed.");
}

TEST(Spelling, RefusesWhatIsReadInTwoWays) {
  for (auto const* url : {"http://example.com\\@127.0.0.1/", "http:\\\\example.com/",
                          "http://exa\tmple.com/", "http://a@example.com/", "http://@example.com/",
                          "//a:b@example.com", "http://e.com/\x7f"}) {
    auto const checked = check_spelling(url);
    ASSERT_FALSE(checked) << url;
    EXPECT_EQ(checked.error().code, Errc::InvalidInput);
  }
}

TEST(Spelling, LetsARedirectHaveAnEmptyUserAndNoOther) {
  for (auto const* url : {"http://:@example.com/", "http://@example.com/", "//:@e.com", "/a@b"}) {
    EXPECT_TRUE(check_location_spelling(url)) << url;
  }
  for (auto const* url :
       {"http://a@example.com/", "http://a:@example.com/", "http://:a@example.com/",
        "http://:@a@example.com/", "http://@@example.com/", "http://::@example.com/",
        "http:\\\\:@example.com/", "http://:@exa\tmple.com/"}) {
    EXPECT_FALSE(check_location_spelling(url)) << url;
  }
}

}  // namespace
}  // namespace sallyport::pipeline
