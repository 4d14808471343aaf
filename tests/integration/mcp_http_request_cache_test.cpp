// The cache of `http_request`: what is answered without asking, what is asked again, and whose it
// is.
#include "tests/integration/http_request_fixture.hpp"

#include <atomic>
#include <memory>

namespace sallyport::test {
namespace {

// Each answer has its number as its body, so that one sees which of them it is.
class HttpRequestCacheTest : public HttpRequestTest {
 protected:
  void answer_with(std::string const& headers) {
    origin_ = std::make_unique<RecordingOrigin>([this, headers](std::string const& request) {
      if (RecordingOrigin::field_of(request, "If-None-Match") == "\"v1\"") {
        return "HTTP/1.1 304 Not Modified\r\n" + headers + "\r\n";
      }
      return Origin::ok(std::to_string(++answers_), headers);
    });
    serve_for(*origin_);
  }
  std::string ask_for(json::Object arguments = {}, std::string const& token = kAlice) {
    if (!arguments.contains("url")) arguments["url"] = "/";
    auto const reply = call(arguments, token);
    EXPECT_FALSE(reply.is_error()) << reply.text();
    return reply.is_error() ? std::string{} : reply.body();
  }
  std::string sent(std::string const& name) {
    return RecordingOrigin::field_of(origin_->last(), name);
  }

  std::atomic<int> answers_{0};
  std::unique_ptr<RecordingOrigin> origin_;
};

TEST_F(HttpRequestCacheTest, ServesWhatIsFreshWithoutAsking) {
  answer_with("Cache-Control: max-age=600\r\n");

  EXPECT_EQ(ask_for(), "1");
  EXPECT_EQ(ask_for(), "1");
  EXPECT_EQ(origin_->count(), 1u);
  EXPECT_EQ(ask_for({{"url", "/?other"}}), "2");
}

TEST_F(HttpRequestCacheTest, OfOnePrincipalIsNobodyElses) {
  answer_with("Cache-Control: max-age=600\r\n");

  EXPECT_EQ(ask_for(), "1");
  EXPECT_EQ(ask_for({}, kBob), "2");
  EXPECT_EQ(ask_for(), "1");
}

TEST_F(HttpRequestCacheTest, AsksAgainWithTheTagAndKeepsTheBody) {
  answer_with("ETag: \"v1\"\r\nCache-Control: no-cache\r\n");

  EXPECT_EQ(ask_for(), "1");
  auto const again = call({{"url", "/"}});

  EXPECT_EQ(sent("If-None-Match"), "\"v1\"");
  EXPECT_EQ(again.status(), 200);
  EXPECT_EQ(again.body(), "1");
  EXPECT_EQ(origin_->count(), 2u);
}

TEST_F(HttpRequestCacheTest, AConditionOfTheAppsOwnGivesItThe304) {
  answer_with("ETag: \"v1\"\r\n");

  auto const reply = call({{"url", "/"}, {"headers", json::Object{{"If-None-Match", "\"v1\""}}}});

  EXPECT_EQ(reply.status(), 304);
  EXPECT_EQ(reply.facts().at("bodyType"), "none");
}

TEST_F(HttpRequestCacheTest, KeepsNothingThatMayNotBeStored) {
  answer_with("Cache-Control: no-store, max-age=600\r\n");

  EXPECT_EQ(ask_for(), "1");
  EXPECT_EQ(ask_for(), "2");
}

TEST_F(HttpRequestCacheTest, FollowsTheModesOfFetch) {
  answer_with("Cache-Control: max-age=600\r\n");

  EXPECT_EQ(ask_for({{"cache", "no-store"}}), "1");
  EXPECT_EQ(ask_for(), "2");
  EXPECT_EQ(ask_for({{"cache", "no-store"}}), "3");
  EXPECT_EQ(ask_for(), "2");
  EXPECT_EQ(ask_for({{"cache", "reload"}}), "4");
  EXPECT_EQ(ask_for(), "4");
  EXPECT_EQ(ask_for({{"cache", "no-cache"}}), "5");
  EXPECT_EQ(ask_for({{"cache", "force-cache"}}), "5");
  EXPECT_EQ(ask_for({{"cache", "only-if-cached"}}), "5");

  auto const absent = call({{"url", "/absent"}, {"cache", "only-if-cached"}});
  EXPECT_TRUE(absent.is_error());
  EXPECT_EQ(absent.error_code(), "not_found");
  EXPECT_EQ(origin_->count(), 5u);
}

TEST_F(HttpRequestCacheTest, KnowsWhatAnAnswerVariesBy) {
  answer_with("Cache-Control: max-age=600\r\nVary: Accept-Language\r\n");
  auto const in = [&](char const* language) {
    return ask_for({{"headers", json::Object{{"Accept-Language", language}}}});
  };

  EXPECT_EQ(in("en"), "1");
  EXPECT_EQ(in("de"), "2");
  EXPECT_EQ(in("en"), in("en"));
  EXPECT_EQ(in("de"), "2");
}

TEST_F(HttpRequestCacheTest, ForgetsWhatAPostMayHaveChanged) {
  answer_with("Cache-Control: max-age=600\r\n");

  EXPECT_EQ(ask_for(), "1");
  EXPECT_EQ(ask_for({{"method", "POST"}, {"body", "x"}}), "2");
  EXPECT_EQ(ask_for(), "3");
}

}  // namespace
}  // namespace sallyport::test
