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

TEST(Spelling, RefusesWhatIsReadInTwoWays) {
  for (auto const* url : {"http://example.com\\@127.0.0.1/", "http:\\\\example.com/",
                          "http://exa\tmple.com/", "http://a@example.com/", "http://@example.com/",
                          "//a:b@example.com", "http://e.com/\x7f"}) {
    auto const checked = check_spelling(url);
    ASSERT_FALSE(checked) << url;
    EXPECT_EQ(checked.error().code, Errc::InvalidInput);
  }
}

}  // namespace
}  // namespace sallyport::pipeline
