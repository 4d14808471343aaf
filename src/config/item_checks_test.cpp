#include "src/config/item_checks.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace sallyport::config {
namespace {

struct Rule {
  char const* name;
  std::string (*check)(std::string_view);
  std::vector<std::string_view> good;
  std::vector<std::string_view> bad;
};

TEST(ItemChecks, AcceptWhatIsMeantAndRefuseTheRest) {
  using namespace std::string_view_literals;
  std::vector<Rule> const rules{
      {"host_name",
       &host_name,
       {"localhost", "127.0.0.1", "::1", "[::1]", "door.example", "0.0.0.0"},
       {"", "http://a", "a/b", "a b", "a\n"}},
      {"url_path",
       &url_path,
       {"/", "/mcp", "/a/b-c"},
       {"", "mcp", "//evil", "/a?b", "/a#b", "/a b"}},
      {"web_origin",
       &web_origin,
       {"https://a.example", "http://localhost:5173", "http://[::1]:80", "vscode-webview://abc"},
       {"", "*", "a.example", "https://a.example/", "https://a.example/x", "https://u@a.example"}},
      {"http_url",
       &http_url,
       {"https://a.example", "http://a.example:1/x?y"},
       {"", "ftp://a", "a.example", "https://", "https://u:p@a.example", "https://a#b",
        "https://a b"}},
      {"https_or_loopback_url",
       &https_or_loopback_url,
       {"https://a.example/keys", "http://127.0.0.1:8080/keys", "http://[::1]/keys",
        "http://localhost/keys"},
       {"http://a.example/keys", "http://localhost.example/keys", "http://127.0.0.1@a.example/",
        ""}},
      {"signature_algorithm",
       &signature_algorithm,
       {"RS256", "ES256", "EdDSA"},
       {"none", "HS256", ""}},
      {"address_or_cidr",
       &address_or_cidr,
       {"10.0.0.1", "10.0.0.0/8", "fd00::/8", "::1"},
       {"", "10.0.0.0/33", "proxy.example", "10.0.0", "10.0.0.0/"}},
      {"header_name", &header_name, {"X-Forwarded-User"}, {"", "X User", "X:User", "X\r\nY"}},
      {"header_value",
       &header_value,
       {"ModelContextProtocol/1.0 (Fetch Server)"},
       {"", "a\r\nb: c", " a", "a ", "a\0b"sv}},
      {"fetch_scheme", &fetch_scheme, {"http", "https"}, {"file", "HTTP", "ftp", ""}},
      {"long_enough_token",
       &long_enough_token,
       {"0123456789abcdef"},
       {"", "short", "****", "has a space in it"}},
      {"long_enough_key",
       &long_enough_key,
       {"0123456789abcdef0123456789abcdef"},
       {"", "0123456789abcdef"}},
      {"keyring_entry",
       &keyring_entry,
       {"grants", "a", "Sallyport_1.work-2",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
       {"", "a b", "a/b", "a\0b"sv, "\xc3\xa4", "$(x)",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0"}},
  };
  for (auto const& rule : rules) {
    for (auto const text : rule.good) EXPECT_EQ(rule.check(text), "") << rule.name << " " << text;
    for (auto const text : rule.bad) EXPECT_NE(rule.check(text), "") << rule.name << " " << text;
  }
}

TEST(LoopbackHost, IsOneThatOnlyThisMachineReaches) {
  for (auto const* host :
       {"localhost", "127.0.0.1", "127.9.9.9", "::1", "[::1]", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(is_loopback_host(host)) << host;
  }
  for (auto const* host : {"0.0.0.0", "::", "[::]", "10.0.0.1", "localhost.example",
                           "127.1.example", "::ffff:10.0.0.1", "", "2130706433"}) {
    EXPECT_FALSE(is_loopback_host(host)) << host;
  }
}

}  // namespace
}  // namespace sallyport::config
