// The vectors of web-platform-tests: urltestdata.json, toascii.json and IdnaTestV2.json.
#include "src/url/url.hpp"
#include "src/url/utf8.hpp"

#include "tests/support/not_tested.hpp"

#include <boost/json.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <unicode/uchar.h>
#include <vector>

namespace sallyport::url {
namespace {

namespace fs = std::filesystem;
using boost::json::object;
using ::testing::IsEmpty;

// Half a surrogate pair is no character: what stands for it in a URL is U+FFFD.
std::string without_lone_surrogates(std::string text) {
  constexpr std::string_view kEscape = "\\u";
  auto const high_half = [&](std::size_t at) {
    return text.compare(at, 2, kEscape) == 0 && (text[at + 2] == 'd' || text[at + 2] == 'D') &&
           std::string_view{"89abAB"}.find(text[at + 3]) != std::string_view::npos;
  };
  for (auto at = text.find(kEscape); at != std::string::npos; at = text.find(kEscape, at + 6)) {
    if (!high_half(at)) continue;
    if (text.compare(at + 6, 3, "\\ud") == 0 || text.compare(at + 6, 3, "\\uD") == 0) {
      at += 6;
    } else {
      text.replace(at, 6, "\\ufffd");
    }
  }
  return text;
}

// Strings among the cases are comments.
std::vector<object> cases_of(std::string const& file) {
  std::ifstream stream{fs::path{SALLYPORT_URL_DATA} / file};
  std::string const text{std::istreambuf_iterator<char>{stream}, {}};
  std::vector<object> cases;
  auto const document = boost::json::parse(without_lone_surrogates(text));
  for (auto const& entry : document.as_array()) {
    if (entry.is_object()) cases.push_back(entry.get_object());
  }
  return cases;
}

std::optional<std::string> member(object const& test, std::string_view name) {
  auto const* const value = test.if_contains(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string{std::string_view{value->get_string()}};
}

std::string input_of(object const& test) {
  return std::string{std::string_view{test.at("input").as_string()}};
}

std::string prefixed(char prefix, std::optional<std::string> const& text) {
  return text && !text->empty() ? prefix + *text : "";
}

object described(Url const& url) {
  object out;
  out["href"] = url.href();
  out["origin"] = url.origin();
  out["protocol"] = url.scheme() + ":";
  out["username"] = url.username();
  out["password"] = url.password();
  out["host"] = url.authority();
  out["hostname"] = url.host().value_or("");
  auto const port = url.port();
  out["port"] = port ? std::to_string(*port) : "";
  out["pathname"] = url.path();
  out["search"] = prefixed('?', url.query());
  out["hash"] = prefixed('#', url.fragment());
  return out;
}

// What differs from what `test` expects; empty when nothing does.
std::string difference(object const& test) {
  std::optional<Url> base;
  if (auto const text = member(test, "base")) {
    auto parsed = Url::parse(*text);
    if (parsed) base = std::move(*parsed);
    if (!base) return test.contains("failure") ? "" : "the base fails";
  }
  auto const url = Url::parse(input_of(test), base ? &*base : nullptr);
  if (test.contains("failure")) return url ? "accepted as " + url->href() : "";
  if (!url) return url.error().message;
  auto const found = described(*url);
  for (auto const& [name, value] : found) {
    auto const* const expected = test.if_contains(name);
    if (expected != nullptr && *expected != value) {
      return fmt::format("{} is {}", std::string_view{name}, boost::json::serialize(value));
    }
  }
  return "";
}

class Standard : public testing::Test {
 protected:
  void SetUp() override {
    if (fs::exists(SALLYPORT_URL_DATA)) return;
    SP_NOT_TESTED("the URL tests of web-platform-tests are not beside the repository.");
  }
};

TEST_F(Standard, ParsesEveryUrlOfUrltestdata) {
  auto const cases = cases_of("urltestdata.json");
  std::vector<std::string> failed;
  for (auto const& test : cases) {
    auto const what = difference(test);
    if (!what.empty()) failed.push_back(boost::json::serialize(test) + "\n  " + what);
  }
  EXPECT_GT(cases.size(), 800U);
  EXPECT_THAT(failed, IsEmpty());
}

// A host stands between slashes: what would end it there is written percent-encoded.
std::optional<std::string> host_of(std::string_view domain) {
  std::string input = "https://";
  for (char const c : domain) {
    if (std::string_view{"/?#\\:@"}.find(c) == std::string_view::npos) {
      input.push_back(c);
    } else {
      input += fmt::format("%{:02X}", static_cast<unsigned>(c));
    }
  }
  auto const url = Url::parse(input + "/x");
  if (!url) return std::nullopt;
  return url->host();
}

std::vector<std::string> failures_of(std::vector<object> const& cases) {
  std::vector<std::string> failed;
  for (auto const& test : cases) {
    auto const input = input_of(test);
    auto const found = host_of(input);
    if (input.empty() || found == member(test, "output")) continue;
    auto entry = test;
    if (found) entry["found"] = *found;
    failed.push_back(boost::json::serialize(entry));
  }
  return failed;
}

TEST_F(Standard, TurnsEveryNameOfToasciiIntoAscii) {
  auto const cases = cases_of("toascii.json");
  EXPECT_GT(cases.size(), 80U);
  EXPECT_THAT(failures_of(cases), IsEmpty());
}

bool has_code_point_unknown_to_icu(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    auto const code_point = next_code_point(text, at);
    if (u_charType(static_cast<UChar32>(code_point)) == U_UNASSIGNED) return true;
  }
  return false;
}

// The data is of Unicode 17. Names with characters that ICU's Unicode has not assigned yet are
// refused; nothing else differs.
TEST_F(Standard, PassesIdnaTestV2AsFarAsIcuKnowsTheCharacters) {
  auto const cases = cases_of("IdnaTestV2.json");
  auto const failed = failures_of(cases);
  std::vector<std::string> unexplained;
  std::ranges::remove_copy_if(failed, std::back_inserter(unexplained),
                              has_code_point_unknown_to_icu);

  EXPECT_GT(cases.size(), 2500U);
  EXPECT_THAT(unexplained, IsEmpty());
  UVersionInfo version{};
  u_getUnicodeVersion(version);
  if (version[0] == 15) {
    EXPECT_EQ(failed.size(), 3U);
  }
}

}  // namespace
}  // namespace sallyport::url
