// Origins that are late, broken, huge or not who they say: what the caller of the fetch tool is
// told, and what the audit log keeps of it.
#include "tests/support/gateway.hpp"
#include "tests/support/nginx.hpp"
#include "tests/support/not_tested.hpp"
#include "tests/support/origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <brotli/encode.h>
#include <fcntl.h>
#include <optional>
#include <zlib.h>
#include <zstd.h>

namespace sallyport::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Connection = Origin::Connection;

constexpr auto const* kLimits =
    "  connect_timeout: 200ms\n  first_byte_timeout: 200ms\n  stall_timeout: 200ms\n"
    "  response_bytes: 4MiB\n";

struct Expected {
  std::string code;
  std::string text;
};

void expect_failure(std::string const& url, std::uint16_t port, Expected const& expected,
                    std::string const& arguments = {}, std::string const& settings = {}) {
  Gateway gateway{{.egress = open({place(port)}) + kLimits + settings}};
  auto const begin = std::chrono::steady_clock::now();

  auto const reply = gateway.fetch(url, arguments);

  EXPECT_TRUE(reply.is_error);
  EXPECT_EQ(reply.code, expected.code);
  EXPECT_EQ(reply.text, "Error: " + expected.text);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 5s);
  EXPECT_ONE_RECORD(gateway, reply, expected.code);
  auto const record = gateway.records().front();
  EXPECT_EQ("Error: " + record.text("error"), reply.text);
  EXPECT_EQ(record.text("verdict"), "allowed");
}

void expect_failure(Origin const& origin, Expected const& expected,
                    std::string const& arguments = {}, std::string const& settings = {}) {
  expect_failure(origin.url(), origin.port(), expected, arguments, settings);
}

// Nobody accepts, and the queue of those who wait is full: who connects hears nothing.
class FullListener {
 public:
  FullListener() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(listener_, reinterpret_cast<sockaddr*>(&at), sizeof at);
    listen(listener_, 0);
    socklen_t size = sizeof at;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
    for (auto& waiting : waiting_) {
      waiting = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
      connect(waiting, reinterpret_cast<sockaddr*>(&at), sizeof at);
    }
  }
  ~FullListener() {
    for (auto const waiting : waiting_) ::close(waiting);
    ::close(listener_);
  }
  FullListener(FullListener const&) = delete;
  FullListener& operator=(FullListener const&) = delete;

  std::uint16_t port() const noexcept { return port_; }

 private:
  int listener_{-1};
  int waiting_[4]{};
  std::uint16_t port_{0};
};

TEST(RoadFaults, ConnectingTakesTooLong) {
  FullListener const full;
  expect_failure("http://" + place(full.port()) + "/", full.port(),
                 {"deadline_exceeded", "Connecting to 127.0.0.1 failed: no answer within 200 ms."});
}

TEST(RoadFaults, NobodyListens) {
  std::optional<Origin> gone{std::in_place, Origin::silent()};
  auto const port = gone->port();
  gone.reset();
  expect_failure("http://" + place(port) + "/", port,
                 {"upstream_failed", "Connecting to 127.0.0.1 failed: connection refused."});
}

TEST(RoadFaults, TheFirstByteIsLate) {
  Origin const silent{Origin::silent()};
  expect_failure(silent, {"deadline_exceeded", "127.0.0.1 did not begin to answer within 200 ms."});
}

TEST(RoadFaults, TheBodyStalls) {
  Origin const stalling{[](Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf");
    peer.wait_for_end();
  }};
  expect_failure(
      stalling, {"deadline_exceeded", "The answer of 127.0.0.1 stopped: nothing came for 200 ms."});
}

TEST(RoadFaults, EverythingTakesTooLong) {
  Origin const trickling{[](Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
    peer.trickle(std::string(100'000, 'x'), 20ms);
  }};
  expect_failure(trickling,
                 {"deadline_exceeded",
                  "The time for the request ran out in the middle of the answer of 127.0.0.1."},
                 R"(,"timeout_ms":300)");
}

TEST(RoadFaults, TheBodyIsEndless) {
  Origin const endless{[](Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    auto const chunk = "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
    while (peer.send(chunk)) {
    }
  }};
  expect_failure(endless, {"limit_exceeded", "The answer is larger than the limit of 4 MiB."});
}

std::string gzip_of(std::string const& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(text.size() / 500 + 100'000, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string brotli_of(std::string const& text) {
  std::size_t size = 1024UL * 1024;
  std::string out(size, '\0');
  BrotliEncoderCompress(5, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, text.size(),
                        reinterpret_cast<std::uint8_t const*>(text.data()), &size,
                        reinterpret_cast<std::uint8_t*>(out.data()));
  out.resize(size);
  return out;
}

std::string zstd_of(std::string const& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST(RoadFaults, ABombIsNotUnpacked) {
  std::string const large(64UL * 1024 * 1024, '\0');
  std::vector<std::pair<std::string, std::string>> const bombs{
      {"gzip", gzip_of(large)}, {"br", brotli_of(large)}, {"zstd", zstd_of(large)}};
  for (auto const& [coding, bytes] : bombs) {
    Origin const origin{
        Origin::answering(Origin::ok(bytes, "Content-Encoding: " + coding + "\r\n"))};
    Gateway gateway{{.egress = open({place(origin.port())})}};

    auto const reply = gateway.fetch(origin.url());

    EXPECT_EQ(reply.code, "limit_exceeded") << coding << ": " << reply.text;
    EXPECT_ONE_RECORD(gateway, reply, "limit_exceeded");
  }
}

TEST(RoadFaults, TheConnectionIsResetInTheMiddle) {
  Origin const resetting{[](Connection& peer) {
    peer.receive_request();
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf");
    peer.reset();
  }};
  expect_failure(resetting, {"upstream_failed",
                             "The connection to 127.0.0.1 broke before the answer was complete."});
}

TEST(RoadFaults, TheBodyIsShorterThanItsLength) {
  Origin const lying{Origin::answering_once("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")};
  expect_failure(lying,
                 {"upstream_failed", "The answer of 127.0.0.1 ended before its announced length."});
}

TEST(RoadFaults, TheAnswerIsNoHttp) {
  Origin const other{Origin::answering_once("SSH-2.0-OpenSSH_9.9\r\n\r\n")};
  expect_failure(other, {"upstream_failed", "The answer of 127.0.0.1 is not valid HTTP."});
}

TEST(RoadFaults, TheOriginClosesWithoutAnAnswer) {
  Origin const closing{Origin::answering_once("")};
  expect_failure(closing,
                 {"upstream_failed", "127.0.0.1 closed the connection without an answer."});
}

TEST(RoadFaults, TheCertificateIsNotToBeTrusted) {
  CertificateAuthority authority;
  auto const settings = "  ca_file: \"" + authority.file() + "\"\n";
  auto const expect = [&](CertificateWish const& wish, std::string const& text) {
    Origin const origin{Origin::answering(Origin::ok("SECRET")), authority.issue(wish)};
    expect_failure(origin, {"upstream_failed", text}, {}, settings);
    EXPECT_EQ(origin.requests(), 0);
  };
  expect({.self_signed = true},
         "The certificate of 127.0.0.1 is not trusted: self-signed certificate.");
  expect({.valid_from = -7200, .valid_to = -3600}, "The certificate of 127.0.0.1 has expired.");
  expect({.names = "DNS:other.example"},
         "The certificate of 127.0.0.1 is not valid for the host name.");
}

TEST(RoadFaults, AnAuthorityThatNobodyNamedIsNotTrusted) {
  CertificateAuthority authority;
  Origin const origin{Origin::answering(Origin::ok("SECRET")), authority.issue()};
  Gateway gateway{{.egress = open({place(origin.port())})}};

  auto const reply = gateway.fetch(origin.url());

  EXPECT_THAT(reply.text, HasSubstr("The certificate of 127.0.0.1 is not trusted"));
  EXPECT_EQ(origin.requests(), 0);
  EXPECT_ONE_RECORD(gateway, reply, "upstream_failed");
}

TEST(RoadFaults, AnOriginThatSpeaksHttp2IsUnderstood) {
  if (!Nginx::is_installed()) SP_NOT_TESTED("install nginx-light");
  CertificateAuthority authority;
  Nginx const nginx{{.locations = "location /v { return 200 'over $server_protocol'; }",
                     .tls = authority.issue()}};
  Gateway gateway{
      {.egress = open({place(nginx.tls_port())}) + "  ca_file: \"" + authority.file() + "\"\n"}};

  auto const reply = gateway.fetch(nginx.tls_url("/v", "127.0.0.1"));

  EXPECT_EQ(reply.text, "over HTTP/2.0");
  EXPECT_ONE_RECORD(gateway, reply, "");
  EXPECT_EQ(gateway.records().front().number("status"), 200);
}

TEST(RoadFaults, AnErrorStatusIsAnAnswer) {
  Origin const failing{
      Origin::answering("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 5\r\n\r\nLater")};
  Gateway gateway{{.egress = open({place(failing.port())})}};

  auto const reply = gateway.fetch(failing.url());

  EXPECT_TRUE(reply.is_error);
  EXPECT_THAT(reply.text, HasSubstr("HTTP 503 Service Unavailable"));
  EXPECT_ONE_RECORD(gateway, reply, "");
  EXPECT_EQ(gateway.records().front().number("status"), 503);
}

TEST(RoadFaults, ARefusedCallLeavesOneRecordToo) {
  std::vector<std::pair<std::string, std::string>> const refused{
      {"http://127.0.0.1/", "egress_blocked"},
      {"http://metadata.google.internal/", "egress_blocked"},
      {"http://93.184.216.34:22/", "egress_blocked"},
      {"http://user:password@93.184.216.34/", "invalid_input"},
      {"http://closed.example/", "policy_denied"},
      {"http://[::1", "invalid_input"}};
  Gateway gateway{{.egress = "  deny:\n  - hosts: [closed.example]\n"}};
  for (auto const& [url, code] : refused) {
    auto const reply = gateway.fetch(url);
    EXPECT_EQ(reply.code, code) << url << ": " << reply.text;
    auto const records = gateway.records();
    ASSERT_FALSE(records.empty()) << url;
    EXPECT_EQ(records.back().text("id"), reply.call_id) << url;
    EXPECT_EQ(records.back().text("error_code"), code) << url;
    EXPECT_EQ(records.back().text("verdict"), "denied") << url;
    EXPECT_THAT(records.back().all(), testing::Not(HasSubstr("password@"))) << url;
  }
  EXPECT_EQ(gateway.records().size(), refused.size());
}

}  // namespace
}  // namespace sallyport::test
