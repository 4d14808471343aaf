#include "src/json/schema/uri.hpp"

#include <gtest/gtest.h>

namespace sallyport::json {
namespace {

// RFC 3986, section 5.4, as far as references between schemas use it.
TEST(ResolveUri, FollowsTheExamplesOfTheRfc) {
  struct Case {
    std::string_view reference;
    std::string_view uri;
  };
  for (auto const& [reference, uri] : {
           Case{"g:h", "g:h"},
           Case{"g", "http://a/b/c/g"},
           Case{"./g", "http://a/b/c/g"},
           Case{"g/", "http://a/b/c/g/"},
           Case{"/g", "http://a/g"},
           Case{"//g", "http://g"},
           Case{"?y", "http://a/b/c/d;p?y"},
           Case{"g?y", "http://a/b/c/g?y"},
           Case{"#s", "http://a/b/c/d;p?q#s"},
           Case{"g#s", "http://a/b/c/g#s"},
           Case{"", "http://a/b/c/d;p?q"},
           Case{".", "http://a/b/c/"},
           Case{"..", "http://a/b/"},
           Case{"../g", "http://a/b/g"},
           Case{"../../../g", "http://a/g"},
           Case{"g/./h", "http://a/b/c/g/h"},
           Case{"g/../h", "http://a/b/c/h"},
       }) {
    EXPECT_EQ(resolve_uri("http://a/b/c/d;p?q", reference), uri) << reference;
  }
}

TEST(ResolveUri, WorksWithoutABase) {
  EXPECT_EQ(resolve_uri("", "#/a"), "#/a");
  EXPECT_EQ(resolve_uri("", "item.json"), "item.json");
  EXPECT_EQ(resolve_uri("urn:uuid:1", "#a"), "urn:uuid:1#a");
}

TEST(PercentDecoded, LeavesWhatIsNotAnEscape) {
  EXPECT_EQ(percent_decoded("a%25b%22%2"), "a%b\"%2");
  EXPECT_EQ(percent_decoded("%zz%"), "%zz%");
}

}  // namespace
}  // namespace sallyport::json
