// `http_request` against a server that others wrote: validators, ranges, compression, redirects.
#include "src/base/base64.hpp"

#include "tests/integration/http_request_fixture.hpp"
#include "tests/support/nginx.hpp"
#include "tests/support/not_tested.hpp"

#include <memory>

namespace sallyport::test {
namespace {

class HttpRequestNginxTest : public HttpRequestTest {
 protected:
  void SetUp() override {
    if (!Nginx::is_installed()) SP_NOT_TESTED("install nginx-light");
    nginx_ = std::make_unique<Nginx>(
        NginxOptions{.locations = "gzip on; gzip_min_length 1; gzip_types text/plain;\n"
                                  "location /old { return 301 /files/a.txt; }\n"});
    nginx_->put_file("a.txt", std::string(5000, 'a'));
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    nginx_->put_file("every.bin", bytes);
    add_backend("files", nginx_->url("/"));
    serve();
  }

  std::unique_ptr<Nginx> nginx_;
};

TEST_F(HttpRequestNginxTest, RevalidatesAFileAndKeepsItsBody) {
  auto const first = call({{"url", "/a.txt"}});
  auto const again = call({{"url", "/a.txt"}, {"cache", "no-cache"}});

  ASSERT_EQ(first.status(), 200);
  EXPECT_EQ(first.body(), std::string(5000, 'a'));
  EXPECT_EQ(again.status(), 200);
  EXPECT_EQ(again.body(), first.body());
  EXPECT_TRUE(first.facts().at("headers").as_object().contains("etag"));

  nginx_->put_file("a.txt", "changed");
  EXPECT_EQ(call({{"url", "/a.txt"}, {"cache", "no-cache"}}).body(), "changed");
}

TEST_F(HttpRequestNginxTest, GivesRangesAndEveryByte) {
  auto const whole = call({{"url", "/every.bin"}, {"responseType", "base64"}});
  auto const part = call({{"url", "/every.bin"},
                          {"headers", json::Object{{"Range", "bytes=250-255"}}},
                          {"responseType", "base64"}});

  EXPECT_EQ(base64::decode(whole.body()).value_or("").size(), 256U);
  EXPECT_EQ(part.status(), 206);
  EXPECT_EQ(part.facts().at("headers").at("content-range"), "bytes 250-255/256");
  EXPECT_EQ(base64::decode(part.body()).value_or(""), "\xFA\xFB\xFC\xFD\xFE\xFF");
}

TEST_F(HttpRequestNginxTest, AFileThatIsNotThereIsAnAnswerAfterARedirectToo) {
  auto const reply = call({{"url", "/old"}});

  EXPECT_EQ(reply.status(), 404);
  EXPECT_EQ(reply.facts().at("redirected"), true);
  EXPECT_EQ(reply.facts().at("url"), "/files/a.txt");
}

}  // namespace
}  // namespace sallyport::test
