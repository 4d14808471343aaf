#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

using test::result;

TEST(Uri, TakesApartWhatGoWould) {
  EXPECT_EQ(result("uri.parse", R"(["https://u:p@Example.com:8080/a%2Fb?q=1#t%20op"])"),
            R"({"fragment": "t op", "hostname": "Example.com", "path": "/a/b", "port": "8080", )"
            R"("raw_path": "/a%2Fb", "raw_query": "q=1", "scheme": "https"})");
  EXPECT_EQ(result("uri.parse", R"(["http://[::1]:80/"])"),
            R"({"hostname": "::1", "path": "/", "port": "80", "raw_path": "/", "scheme": "http"})");
  EXPECT_EQ(result("uri.parse", R"(["MAILTO:a@b"])"), R"({"scheme": "mailto"})");
  EXPECT_EQ(result("uri.parse", R"(["/a b"])"), R"({"path": "/a b", "raw_path": "/a b"})");
  EXPECT_EQ(result("uri.parse", R"(["/a%20b"])"), R"({"path": "/a b", "raw_path": "/a b"})");
  EXPECT_EQ(result("uri.parse", R"(["//h/p?"])"),
            R"({"hostname": "h", "path": "/p", "raw_path": "/p"})");
  EXPECT_EQ(result("uri.parse", R"(["http://[fe80::1%25en0]/"])"),
            R"({"hostname": "fe80::1%en0", "path": "/", "raw_path": "/", "scheme": "http"})");
  EXPECT_EQ(
      result("uri.parse", R"(["http://a:99999/"])"),
      R"({"hostname": "a", "path": "/", "port": "99999", "raw_path": "/", "scheme": "http"})");
  EXPECT_EQ(result("uri.parse", R"([""])"), "{}");
}

TEST(Uri, RefusesWhatGoWould) {
  struct {
    std::string_view operands;
    std::string_view answer;
  } const cases[] = {
      {R"(["http://a b/"])", R"(error: parse "http://a b/": invalid character " " in host name)"},
      {R"(["http://ex%61mple.com/"])",
       R"(error: parse "http://ex%61mple.com/": invalid URL escape "%61")"},
      {R"(["http://a.com\\@b.com/"])",
       R"(error: parse "http://a.com\\@b.com/": net/url: invalid userinfo)"},
      {R"(["http://[::1/"])", R"(error: parse "http://[::1/": missing ']' in host)"},
      {R"(["http://[1.2.3.4]/"])", R"(error: parse "http://[1.2.3.4]/": invalid IP-literal)"},
      {R"(["http://a:x/"])", R"(error: parse "http://a:x/": invalid port ":x" after host)"},
      {R"(["http://a:80:80/"])",
       R"(error: parse "http://a:80:80/": invalid port ":80:80" after host)"},
      {R"([":a"])", R"(error: parse ":a": missing protocol scheme)"},
      {R"(["1a:b"])", R"(error: parse "1a:b": first path segment in URL cannot contain colon)"},
      {R"(["/a%zz"])", R"(error: parse "/a%zz": invalid URL escape "%zz")"},
      {R"(["/a#%2"])", R"(error: parse "/a#%2": invalid URL escape "%2")"},
      {R"(["/a\u0001"])", R"(error: parse "/a\x01": net/url: invalid control character in URL)"},
  };
  for (auto const& [operands, answer] : cases) {
    EXPECT_EQ(result("uri.parse", operands), answer);
    EXPECT_EQ(result("uri.is_valid", operands), "false") << operands;
  }
}

TEST(Uri, CallsTheEmptyTextInvalid) {
  EXPECT_EQ(result("uri.is_valid", R"(["a"])"), "true");
  EXPECT_EQ(result("uri.is_valid", R"([""])"), "false");
  EXPECT_EQ(result("uri.is_valid", "[1]"), "false");
}

}  // namespace
}  // namespace sallyport::rego
