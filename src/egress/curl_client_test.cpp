#include "src/egress/curl_client.hpp"

#include "tests/support/http_peer.hpp"
#include "tests/support/run.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace sallyport::egress {
namespace {

using namespace std::chrono_literals;
using test::HttpPeer;

HttpPeer::Script always(std::string response) {
  return [response = std::move(response)](std::string const&) { return response; };
}

std::unique_ptr<CurlClient> make_client(ClientOptions options = {}) {
  return *CurlClient::create(std::move(options));
}

Result<http::Response> send(CurlClient& client, http::ClientRequest request,
                            test::Interrupt interrupt = test::Interrupt::Never) {
  return test::run(client.send(std::move(request)), interrupt);
}

Errc code_of(Result<http::Response> const& result) {
  return result ? Errc::Internal : result.error().code;
}

TEST(CurlClient, BringsBackStatusHeadersAndBody) {
  HttpPeer const peer{
      always("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nX-One: 1\r\n"
             "X-One:  2 \r\nContent-Length: 4\r\n\r\nnone")};
  auto const client = make_client();

  auto const response = send(*client, {.url = peer.url("/a?b=c")});

  ASSERT_TRUE(response) << response.error().detail;
  EXPECT_EQ(response->status, 404);
  EXPECT_EQ(response->content_type, "text/plain");
  EXPECT_EQ(response->body, "none");
  ASSERT_EQ(response->headers.size(), 2U);
  EXPECT_EQ(response->headers.begin()->value, "1");
  EXPECT_EQ((response->headers.begin() + 1)->value, "2");
}

TEST(CurlClient, SendsMethodHeadersAndBodyAndNothingOfItsOwn) {
  HttpPeer const peer{[](std::string const& request) { return HttpPeer::ok(request); }};
  auto const client = make_client();

  auto const response = send(*client, {.method = "PUT",
                                       .url = peer.url("/a?b=c"),
                                       .headers = {{"X-Test", "yes"}, {"X-Empty", ""}},
                                       .body = "body"});

  ASSERT_TRUE(response) << response.error().detail;
  EXPECT_TRUE(response->body.starts_with("PUT /a?b=c HTTP/1.1\r\n"));
  EXPECT_NE(response->body.find("X-Test: yes\r\n"), std::string::npos);
  EXPECT_NE(response->body.find("X-Empty:\r\n"), std::string::npos);
  EXPECT_TRUE(response->body.ends_with("\r\n\r\nbody"));
  EXPECT_EQ(response->body.find("Content-Type"), std::string::npos);
  EXPECT_EQ(response->body.find("Expect"), std::string::npos);
}

TEST(CurlClient, RefusesAHeaderThatWouldStartAnother) {
  HttpPeer const peer{always(HttpPeer::ok("x"))};
  auto const client = make_client();

  for (auto const& headers :
       {http::Headers{{"X-Test", "a\r\nX-Other: b"}}, http::Headers{{"X-Test: a\r\nX-Other", "b"}},
        http::Headers{{"X-Test", std::string{"a\0b", 3}}}, http::Headers{{"", "b"}}}) {
    EXPECT_EQ(code_of(send(*client, {.url = peer.url("/"), .headers = headers})),
              Errc::InvalidInput);
  }
  EXPECT_EQ(code_of(send(*client, {.method = "GET / HTTP/1.1\r\nX: ", .url = peer.url("/")})),
            Errc::InvalidInput);
}

TEST(CurlClient, DoesNotFollowARedirect) {
  std::atomic<int> requests{0};
  HttpPeer const peer{[&](std::string const&) {
    ++requests;
    return std::string{"HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"};
  }};
  auto const client = make_client();

  auto const response = send(*client, {.url = peer.url("/")});

  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 302);
  EXPECT_EQ(requests, 1);
}

TEST(CurlClient, IgnoresTheProxyOfTheEnvironment) {
  HttpPeer const proxy{always(HttpPeer::ok("proxy"))};
  HttpPeer const peer{always(HttpPeer::ok("peer"))};
  setenv("http_proxy", proxy.url("/").c_str(), 1);
  auto const client = make_client();

  auto const response = send(*client, {.url = peer.url("/")});
  unsetenv("http_proxy");

  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "peer");
}

TEST(CurlClient, SpeaksOnlyHttpAndSendsNoPasswordOfAUrl) {
  HttpPeer const peer{always(HttpPeer::ok("x"))};
  auto const with_password = "http://user:password@" + peer.url("/").substr(7);
  auto const client = make_client();

  for (std::string const& url :
       {std::string{"file:///etc/hostname"}, std::string{"gopher://127.0.0.1/"},
        std::string{"ftp://127.0.0.1/"}, with_password, std::string{"http://"}, std::string{}}) {
    EXPECT_EQ(code_of(send(*client, {.url = url})), Errc::UpstreamFailed) << url;
  }
}

TEST(CurlClient, StopsReadingAnAnswerThatIsTooLarge) {
  HttpPeer const announced{always(HttpPeer::ok(std::string(2000, 'x')))};
  HttpPeer const endless{always("HTTP/1.1 200 OK\r\n\r\n" + std::string(2000, 'x'))};
  HttpPeer const exact{always(HttpPeer::ok(std::string(1000, 'x')))};
  auto const client = make_client();

  auto const ask = [&](HttpPeer const& peer) {
    return send(*client, {.url = peer.url("/"), .max_response_bytes = 1000});
  };

  EXPECT_EQ(code_of(ask(announced)), Errc::LimitExceeded);
  EXPECT_EQ(code_of(ask(endless)), Errc::LimitExceeded);
  EXPECT_TRUE(ask(exact));
}

TEST(CurlClient, EndsAtTheDeadline) {
  HttpPeer const silent{always("")};
  auto const client = make_client();

  auto const late = send(*client, {.url = silent.url("/"), .deadline = Deadline::in(20ms)});

  EXPECT_EQ(code_of(late), Errc::DeadlineExceeded);
}

TEST(CurlClient, EndsWhenTheCallerIsCancelled) {
  HttpPeer const silent{always("")};
  auto const client = make_client();

  auto const cancelled =
      send(*client, {.url = silent.url("/")}, test::Interrupt::AfterFirstSuspension);

  EXPECT_EQ(code_of(cancelled), Errc::Cancelled);
}

TEST(CurlClient, SaysWhenNobodyListens) {
  std::string url;
  {
    HttpPeer const gone{always("")};
    url = gone.url("/");
  }
  auto const client = make_client();

  EXPECT_EQ(code_of(send(*client, {.url = url})), Errc::UpstreamFailed);
}

TEST(CurlClient, RefusesMoreThanItsShareAndTakesMoreLater) {
  HttpPeer const silent{always("")};
  HttpPeer const peer{always(HttpPeer::ok("x"))};
  auto const client = make_client({.max_transfers = 1});
  asio::io_context loop;
  Result<http::Response> first = fail(Errc::Internal, "");
  asio::co_spawn(loop, client->send({.url = silent.url("/"), .deadline = Deadline::in(50ms)}),
                 [&](std::exception_ptr, Result<http::Response> result) { first = result; });
  loop.poll();

  auto const second = send(*client, {.url = peer.url("/")});
  loop.run();
  EXPECT_EQ(code_of(second), Errc::LimitExceeded);
  EXPECT_EQ(code_of(first), Errc::DeadlineExceeded);

  // The curl thread drops the late transfer a little after its caller gave up.
  auto third = send(*client, {.url = peer.url("/")});
  while (code_of(third) == Errc::LimitExceeded) third = send(*client, {.url = peer.url("/")});
  EXPECT_TRUE(third);
}

TEST(CurlClient, EndsWhatIsUnderWayWhenItGoes) {
  HttpPeer const silent{always("")};
  auto client = make_client();
  asio::io_context loop;
  Result<http::Response> result = fail(Errc::Internal, "");
  asio::co_spawn(loop, client->send({.url = silent.url("/")}),
                 [&](std::exception_ptr, Result<http::Response> value) { result = value; });
  loop.poll();

  client.reset();
  loop.run();

  EXPECT_EQ(code_of(result), Errc::Cancelled);
}

TEST(CurlClient, OutlivesALoopThatIsDestroyedWhileItsTaskWaits) {
  std::atomic<bool> asked{false};
  HttpPeer const peer{[&](std::string const&) {
    asked = true;
    return HttpPeer::ok("x");
  }};
  auto const client = make_client();

  for (int i = 0; i < 20; ++i) {
    asio::io_context loop;
    asio::co_spawn(loop, client->send({.url = peer.url("/")}),
                   [](std::exception_ptr, Result<http::Response> const&) {});
    loop.poll();
  }

  EXPECT_TRUE(send(*client, {.url = peer.url("/")}));
}

TEST(CurlClient, ServesSeveralLoopsAtOnce) {
  HttpPeer const peer{always(HttpPeer::ok("x"))};
  auto const client = make_client();
  std::atomic<int> answered{0};

  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 20; ++j) answered += send(*client, {.url = peer.url("/")}) ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();

  EXPECT_EQ(answered, 80);
}

TEST(CurlClient, SaysAtStartThatCertificatesCannotBeRead) {
  auto const client = CurlClient::create({.ca_file = "/nowhere/ca.pem"});

  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Errc::InvalidInput);
}

}  // namespace
}  // namespace sallyport::egress
