// URLs that were used to get past guards, and some that must pass, where they are at hand.
//
// Only what URL and DNS decide: redirects, headers and proxies are judged elsewhere. A vector gives
// the answers of DNS; a name that it does not give does not exist.
#include "src/egress/guard.hpp"

#include "tests/support/not_tested.hpp"

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::egress {
namespace {

namespace json = boost::json;

bool is_decided_here(json::object const& vector) {
  auto const others = {"redirect", "headers",          "env",           "config",
                       "either",   "response_headers", "response_body", "resolve_sequence"};
  if (std::ranges::any_of(others, [&](auto const* key) { return vector.contains(key); })) {
    return false;
  }
  // Control characters in the text are refused by who takes the text: a parsed URL has none.
  auto const& input = vector.at("input").as_string();
  auto const is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  return !vector.contains("strict") || std::ranges::none_of(input, is_control);
}

std::vector<url::IpAddress> resolve(json::object const& vector, std::string_view host) {
  std::vector<url::IpAddress> found;
  if (host.ends_with('.')) host.remove_suffix(1);
  auto const* const names = vector.if_contains("resolve");
  auto const* const answers = names ? names->as_object().if_contains(host) : nullptr;
  if (!answers) return found;
  for (auto const& text : answers->as_array()) {
    auto const address = url::IpAddress::parse(text.as_string());
    EXPECT_TRUE(address) << text;
    if (address) found.push_back(*address);
  }
  return found;
}

// Empty when the URL may be fetched.
std::string refusal(Guard const& guard, json::object const& vector) {
  auto const url = url::Url::parse(vector.at("input").as_string());
  if (!url) return url.error().message;
  if (auto const checked = guard.check_url(*url); !checked) return checked.error().message;
  auto const judged = guard.judge(*url, resolve(vector, *url->host()));
  return judged ? "" : judged.error().message;
}

TEST(SsrfVectors, AreDecidedAsExpected) {
  std::ifstream file{SALLYPORT_SSRF_VECTORS};
  if (!file) SP_NOT_TESTED("put ssrf-vectors.json into shared/data beside the repository");
  std::string const text{std::istreambuf_iterator<char>{file}, {}};
  auto const vectors = json::parse(text);
  Guard const guard;

  std::size_t decided = 0;
  for (auto const& each : vectors.as_array()) {
    auto const& vector = each.as_object();
    if (!is_decided_here(vector)) continue;
    ++decided;
    auto const why = refusal(guard, vector);
    EXPECT_EQ(why.empty() ? "allow" : "block", vector.at("expect").as_string())
        << json::serialize(vector) << "\n"
        << why;
  }
  EXPECT_GT(decided, 300);
  RecordProperty("decided", static_cast<int>(decided));
}

}  // namespace
}  // namespace sallyport::egress
