#include "src/http/request_head.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace sallyport::http {
namespace {

using HeadState = RequestHeadParser::State;

struct Parsed {
  HeadState state{HeadState::Incomplete};
  int status{0};
  Framing framing;
  ServerRequest request;
};

Parsed parse(std::string_view bytes, std::size_t max_bytes = 16UL * 1024) {
  RequestHeadParser parser{max_bytes};
  Parsed parsed;
  parsed.state = parser.parse(bytes, parsed.request);
  parsed.framing = parser.framing();
  if (parsed.state == HeadState::Refused) parsed.status = parser.refusal().status;
  return parsed;
}

TEST(RequestHead, GivesMethodPathQueryAndHeaders) {
  std::string const head =
      "POST /mcp?a=1&b HTTP/1.1\r\nHost: here\r\nX-Odd:\t  a b \t\r\nX-None:\r\n\r\n";
  auto const parsed = parse(head + "body");

  ASSERT_EQ(parsed.state, HeadState::Complete);
  EXPECT_EQ(parsed.request.method, "POST");
  EXPECT_EQ(parsed.request.path, "/mcp");
  EXPECT_EQ(parsed.request.query, "a=1&b");
  EXPECT_EQ(*parsed.request.headers.find("x-odd"), "a b");
  EXPECT_EQ(*parsed.request.headers.find("x-none"), "");
  EXPECT_EQ(parsed.framing.head_bytes, head.size());
  EXPECT_TRUE(parsed.framing.keep_alive);
}

TEST(RequestHead, MayArriveByteByByte) {
  std::string_view const bytes = "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\nGET";
  RequestHeadParser parser{1024};
  ServerRequest request;

  for (std::size_t count = 0; count < bytes.size() - 3; ++count) {
    ASSERT_EQ(parser.parse(bytes.substr(0, count), request), HeadState::Incomplete) << count;
  }
  EXPECT_EQ(parser.parse(bytes, request), HeadState::Complete);
  EXPECT_EQ(parser.framing().head_bytes, bytes.size() - 3);
}

// SECURITY: each of these is framed differently by some other server or proxy.
TEST(RequestHead, RefusesWhatCouldBeReadInTwoWays) {
  std::string const start = "POST / HTTP/1.1\r\nHost: a\r\n";
  struct Case {
    std::string head;
    int status;
  };
  Case const cases[] = {
      {start + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {start + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", 400},
      {start + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
      {start + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", 400},
      {start + "Content-Length: 1, 1\r\n\r\n", 400},
      {start + "Content-Length: +1\r\n\r\n", 400},
      {start + "Content-Length: 0x1\r\n\r\n", 400},
      {start + "Content-Length: 1 1\r\n\r\n", 400},
      {start + "Content-Length:\r\n\r\n", 400},
      {start + "Content-Length: 99999999999999999999\r\n\r\n", 413},
      {start + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {start + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501},
      {start + "Transfer-Encoding: xchunked\r\n\r\n", 501},
      {start + "Transfer-Encoding : chunked\r\n\r\n", 400},
      {start + "X: a\r\n folded\r\n\r\n", 400},
      {start + " X: a\r\n\r\n", 400},
      {start + "X: a\n\r\n", 400},
      {start + "X: a\rb\r\n\r\n", 400},
      {start + std::string{"X: a\0b\r\n\r\n", 10}, 400},
      {start + ": a\r\n\r\n", 400},
      {start + "no colon\r\n\r\n", 400},
      {start + "Host: a\r\n\r\n", 400},
      {start + "X\x80: a\r\n\r\n", 400},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: user@a\r\n\r\n", 400},
      {"GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/1.1\nHost: a\n\n", 400},
      {"GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400},
      {"GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET /\xC3\xA4 HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET /#x HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET a HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET /\r\nHost: a\r\n\r\n", 400},
      {"G@T / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET / http/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/1.10\r\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
      {"GET / HTTP/0.9\r\n\r\n", 505},
      {"\x16\x03\x01", 400},
      {"\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400},
  };
  for (auto const& [head, status] : cases) {
    auto const parsed = parse(head);
    EXPECT_EQ(parsed.state, HeadState::Refused) << head;
    EXPECT_EQ(parsed.status, status) << head;
  }
}

TEST(RequestHead, KnowsTheFormsOfATarget) {
  struct Case {
    std::string_view line;
    std::string_view path;
    std::string_view query;
  };
  constexpr Case kCases[] = {
      {"GET http://a/x?y HTTP/1.1", "/x", "y"}, {"GET HTTPS://A HTTP/1.1", "/", ""},
      {"GET http://a?y HTTP/1.1", "/", "y"},    {"OPTIONS * HTTP/1.1", "*", ""},
      {"CONNECT a:443 HTTP/1.1", "a:443", ""},  {"BREW /pot?? HTTP/1.1", "/pot", "?"},
  };
  for (auto const& [line, path, query] : kCases) {
    auto const parsed = parse(std::string{line} + "\r\nHost: a\r\n\r\n");
    ASSERT_EQ(parsed.state, HeadState::Complete) << line;
    EXPECT_EQ(parsed.request.path, path) << line;
    EXPECT_EQ(parsed.request.query, query) << line;
  }
}

TEST(RequestHead, DecidesWhetherTheConnectionLives) {
  struct Case {
    std::string_view version;
    std::string_view connection;
    bool keep_alive;
  };
  constexpr Case kCases[] = {
      {"1.1", "", true},  {"1.1", "close", false},     {"1.1", "x, Close", false},
      {"1.0", "", false}, {"1.0", "Keep-Alive", true}, {"1.0", "keep-alive, close", false},
  };
  for (auto const& [version, connection, keep_alive] : kCases) {
    auto const parsed = parse("GET / HTTP/" + std::string{version} +
                              "\r\nHost: a\r\nConnection: " + std::string{connection} + "\r\n\r\n");
    ASSERT_EQ(parsed.state, HeadState::Complete) << version << connection;
    EXPECT_EQ(parsed.framing.keep_alive, keep_alive) << version << connection;
  }
}

TEST(RequestHead, KnowsOneExpectation) {
  auto const head = [](std::string const& expect) {
    return parse("POST / HTTP/1.1\r\nHost: a\r\nExpect: " + expect + "\r\n\r\n");
  };

  EXPECT_TRUE(head("100-Continue").framing.expects_continue);
  EXPECT_EQ(head("tea").status, 417);
}

TEST(RequestHead, IsRefusedWhenTooLarge) {
  std::string const head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

  EXPECT_EQ(parse(head, head.size()).state, HeadState::Complete);
  EXPECT_EQ(parse(head, head.size() - 1).status, 431);
  EXPECT_EQ(parse("GET /" + std::string(100, 'a'), 64).status, 431);
}

TEST(RequestHead, IsRefusedWithTooManyFields) {
  std::string head = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int field = 0; field < 200; ++field) head += "X: 1\r\n";

  EXPECT_EQ(parse(head + "\r\n").status, 431);
}

}  // namespace
}  // namespace sallyport::http
