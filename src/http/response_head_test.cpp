#include "src/http/response_head.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sallyport::http {
namespace {

std::string head(Response const& response, ResponseFraming framing = {}) {
  framing.date = "now";
  std::string out;
  append_response_head(out, response, framing);
  return out;
}

TEST(ResponseHead, HoldsStatusTypeLengthAndHeaders) {
  Response const response{
      .status = 404, .content_type = "text/plain", .headers = {{"X-A", "1"}, {"X-A", "2"}}};

  EXPECT_EQ(head(response, {.content_length = 3}),
            "HTTP/1.1 404 Not Found\r\nDate: now\r\nContent-Type: text/plain\r\n"
            "Content-Length: 3\r\nX-A: 1\r\nX-A: 2\r\n\r\n");
}

TEST(ResponseHead, FramesByVersionAndStatus) {
  EXPECT_EQ(head({}), "HTTP/1.1 200 OK\r\nDate: now\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_EQ(head({}, {.keep_alive = false, .http_1_0 = true}),
            "HTTP/1.1 200 OK\r\nDate: now\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(head({}, {.content_length = 0, .http_1_0 = true}),
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(head({.status = 204}, {.content_length = 0}),
            "HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n");
  EXPECT_EQ(head({.status = 304}), "HTTP/1.1 304 Not Modified\r\nDate: now\r\n\r\n");
}

TEST(ResponseHead, DoesNotLetAValueStartAnotherField) {
  Response const response{
      .content_type = "a\r\nX: 1",
      .headers = {{"X-A", std::string{"1\r\nX-B: 2\n\0", 11}}, {"X C", "1"}, {"", "1"}}};

  EXPECT_EQ(head(response, {.content_length = 0}),
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Type: a  X: 1\r\nContent-Length: 0\r\n"
            "X-A: 1  X-B: 2  \r\n\r\n");
}

TEST(ResponseHead, LeavesOutWhatTheServerDecides) {
  Response const response{.headers = {{"content-length", "9"},
                                      {"Transfer-Encoding", "gzip"},
                                      {"CONNECTION", "upgrade"},
                                      {"date", "then"}}};

  EXPECT_EQ(head(response, {.content_length = 0}),
            "HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 0\r\n\r\n");
}

}  // namespace
}  // namespace sallyport::http
