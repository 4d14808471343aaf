#include "src/policy/redaction.hpp"

#include "src/policy/test_query.hpp"

#include <gtest/gtest.h>

namespace sallyport::policy {
namespace {

std::string redacted(test::TestQuery const& query, std::string text) {
  auto const about = query.get();
  Redaction{about}.apply(text);
  return text;
}

TEST(Redaction, TakesOutValuesThatRulesAddedAndThoseOfCredentialHeaders) {
  test::TestQuery const query{.headers = {{"X-Key", "key-of-shop"},
                                          {"Cookie", "sid=0123456789"},
                                          {"Authorization", "Basic dXNlcjpwYXNz"},
                                          {"Accept", "application/json"}},
                              .injected = {"x-key"}};

  EXPECT_EQ(redacted(query, "key-of-shop, sid=0123456789, dXNlcjpwYXNz, application/json"),
            "[redacted], [redacted], [redacted], application/json");
  EXPECT_EQ(redacted(query, "Basic dXNlcjpwYXNz twice: Basic dXNlcjpwYXNz"),
            "[redacted] twice: [redacted]");
  EXPECT_EQ(redacted(query, ""), "");
}

TEST(Redaction, LeavesAloneWhatIsTooShortToBeASecret) {
  test::TestQuery const query{.headers = {{"X-Key", "1"}, {"Authorization", "Bearer abc"}},
                              .injected = {"X-Key"}};

  EXPECT_EQ(redacted(query, "rule 1: abc"), "rule 1: abc");
}

}  // namespace
}  // namespace sallyport::policy
