#include "src/egress/prepared_request.hpp"

#include <gmock/gmock.h>

namespace sallyport::egress {
namespace {

using testing::ElementsAre;

Dispatch to(std::string_view text, std::vector<url::IpAddress> const& addresses) {
  auto const url = *url::Url::parse(text);
  Guard const guard{{.ports = {url.effective_port()}}};
  return {.url = url, .addresses = *guard.judge(url, addresses)};
}

Dispatch plain() {
  return to("https://user.example:8443/a?b#c",
            {*url::IpAddress::parse("93.184.215.14"), *url::IpAddress::parse("2606:2800::1")});
}

std::vector<std::string> lines(curl_slist const* list) {
  std::vector<std::string> all;
  for (; list != nullptr; list = list->next) all.emplace_back(list->data);
  return all;
}

TEST(PreparedRequest, GivesLibcurlTheOriginAndTheTargetApart) {
  auto const request = *PreparedRequest::create(plain());
  EXPECT_EQ(request->origin(), "https://user.example:8443/");
  EXPECT_EQ(request->target(), "/a?b");
}

TEST(PreparedRequest, RoutesToEachJudgedAddress) {
  auto const request = *PreparedRequest::create(plain());
  std::vector<std::string> routes;
  for (std::size_t i = 0; i < 2; ++i) routes.emplace_back(request->route_to(i)->data);
  EXPECT_THAT(routes,
              testing::UnorderedElementsAre("::93.184.215.14:8443", "::[2606:2800::1]:8443"));
}

TEST(PreparedRequest, TakesOutTheHeadersThatLibcurlWouldAdd) {
  auto const bare = *PreparedRequest::create(plain());
  EXPECT_THAT(lines(bare->header_lines()), ElementsAre("Accept:", "Content-Type:", "Expect:"));

  auto dispatch = plain();
  dispatch.headers = {{"accept", "text/html"}, {"X-Empty", ""}, {"Content-Type", "text/plain"}};
  auto const own = *PreparedRequest::create(std::move(dispatch));
  EXPECT_THAT(lines(own->header_lines()),
              ElementsAre("accept: text/html", "X-Empty;", "Content-Type: text/plain", "Expect:"));
  EXPECT_TRUE(own->decompresses());
}

TEST(PreparedRequest, DoesNotDecompressWhereTheCallerNamedEncodings) {
  auto dispatch = plain();
  dispatch.headers = {{"accept-encoding", "gzip"}};
  EXPECT_FALSE((*PreparedRequest::create(std::move(dispatch)))->decompresses());
}

TEST(PreparedRequest, AsksForAPartUncompressed) {
  auto dispatch = plain();
  dispatch.headers = {{"range", "bytes=0-9"}};
  auto const request = *PreparedRequest::create(std::move(dispatch));
  EXPECT_FALSE(request->decompresses());
  EXPECT_THAT(lines(request->header_lines()),
              ElementsAre("range: bytes=0-9", "Accept-Encoding: identity",
                          "Accept:", "Content-Type:", "Expect:"));

  dispatch = plain();
  dispatch.headers = {{"Range", "bytes=0-9"}, {"Accept-Encoding", "br"}};
  auto const own = *PreparedRequest::create(std::move(dispatch));
  EXPECT_THAT(lines(own->header_lines()), ElementsAre("Range: bytes=0-9", "Accept-Encoding: br",
                                                      "Accept:", "Content-Type:", "Expect:"));
}

TEST(PreparedRequest, RefusesEveryControlCharacterInAHeader) {
  for (int byte = 0; byte < 0x20; ++byte) {
    if (byte == '\t') continue;
    auto dispatch = plain();
    dispatch.headers = {{"X-Test", std::string{"a"} + static_cast<char>(byte) + "b"}};
    EXPECT_FALSE(PreparedRequest::create(std::move(dispatch))) << byte;
  }
}

}  // namespace
}  // namespace sallyport::egress
