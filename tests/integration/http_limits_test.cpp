// What a hostile, slow or broken client may not do.
#include "tests/integration/http_server_fixture.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace sallyport::test {
namespace {

class HttpLimitsTest : public HttpServerTest {
 protected:
  HttpLimitsTest() {
    options_.limits = {.header_bytes = 512, .body_bytes = 1000, .connections = 8};
  }

  // The refusal, and that the connection ends after it.
  void expect_refusal(std::string_view bytes, int status) {
    auto client = connect();
    client.send(bytes);
    auto const response = client.receive();
    EXPECT_EQ(response.status, status) << bytes;
    EXPECT_TRUE(response.has("Connection: close")) << bytes;
    EXPECT_THAT(response.body, testing::StartsWith(R"({"error":")")) << bytes;
    EXPECT_TRUE(client.is_closed()) << bytes;
    EXPECT_FALSE(client.was_reset()) << bytes;
  }

  static Async<void> echo_and_count(net::Exchange& exchange, std::atomic<int>& handled) {
    ++handled;
    co_await echo(exchange);
  }

  std::atomic<int> handled_{0};
  net::Handler counting_ = [this](net::Exchange& exchange) {
    return echo_and_count(exchange, handled_);
  };
};

TEST_F(HttpLimitsTest, RefusesBadRequestsBeforeTheHandlerSeesThem) {
  serve(counting_);
  std::string const start = "POST / HTTP/1.1\r\nHost: a\r\n";

  expect_refusal("nonsense\r\n\r\n", 400);
  expect_refusal("GET / HTTP/1.1\r\n\r\n", 400);
  expect_refusal("GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505);
  expect_refusal("GET / HTTP/1.1\nHost: a\n\n", 400);
  expect_refusal(start + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400);
  expect_refusal(start + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab", 400);
  expect_refusal(start + "X: a\r\n b\r\n\r\n", 400);
  expect_refusal(start + "X : a\r\n\r\n", 400);
  expect_refusal(start + "Expect: tea\r\n\r\n", 417);
  expect_refusal(start + "Transfer-Encoding: gzip\r\n\r\n", 501);
  expect_refusal(start + "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400);

  EXPECT_EQ(handled_, 0);
  EXPECT_EQ(refused("malformed"), 11U);
}

TEST_F(HttpLimitsTest, RefusesALargeHead) {
  serve(counting_);

  expect_refusal("GET /" + std::string(600, 'a'), 431);
  expect_refusal(get("/", "X: " + std::string(40'000, 'a') + "\r\n"), 431);

  EXPECT_EQ(handled_, 0);
  EXPECT_EQ(refused("head_too_large"), 2U);
}

TEST_F(HttpLimitsTest, RefusesALargeBodyBeforeItIsSent) {
  serve(counting_);

  expect_refusal("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\n\r\n", 413);
  expect_refusal(
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n", 413);

  EXPECT_EQ(handled_, 0);
  EXPECT_EQ(refused("body_too_large"), 2U);
}

TEST_F(HttpLimitsTest, RefusesAChunkedBodyThatGrowsTooLarge) {
  serve(counting_);
  std::string bytes = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 100; ++i) bytes += "10\r\n0123456789abcdef\r\n";

  expect_refusal(bytes, 413);

  EXPECT_EQ(handled_, 0);
}

// A refusal that arrives as a reset connection tells the client nothing, so the server goes on
// reading for a while after it has said its last word.
TEST_F(HttpLimitsTest, LetsAClientThatIsStillSendingReadItsRefusal) {
  serve(counting_);
  auto client = connect();
  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n");
  EXPECT_EQ(client.receive().status, 413);
  EXPECT_TRUE(client.is_closed());

  for (int piece = 0; piece < 20; ++piece) {
    ASSERT_TRUE(client.send(std::string(50'000, 'x'))) << piece;
    std::this_thread::sleep_for(1ms);
  }
}

// Slowloris: the head as a whole has a limit, so that single bytes do not extend it.
TEST_F(HttpLimitsTest, EndsAHeadThatTrickles) {
  options_.limits.header_timeout = 150ms;
  serve(counting_);
  auto client = connect();
  auto const begin = Clock::now();
  std::thread trickle{[&] {
    for (char const c : get("/", "X: " + std::string(100, 'x') + "\r\n")) {
      if (!client.send({&c, 1})) break;
      std::this_thread::sleep_for(10ms);
    }
  }};

  auto const status = client.receive().status;
  auto const took = Clock::now() - begin;
  trickle.join();

  EXPECT_EQ(status, 408);
  EXPECT_LT(took, 1s);  // all its bytes would have taken longer
  EXPECT_EQ(refused("too_slow"), 1U);
}

TEST_F(HttpLimitsTest, EndsABodyThatDoesNotCome) {
  options_.limits.body_timeout = 150ms;
  serve(counting_);

  expect_refusal("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc", 408);
  expect_refusal("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab", 408);

  EXPECT_EQ(handled_, 0);
}

TEST_F(HttpLimitsTest, ClosesIdleConnectionsWithoutAWord) {
  options_.limits.idle_timeout = 150ms;
  serve(counting_);
  auto idle = connect();
  idle.send(get("/"));
  EXPECT_EQ(idle.receive().status, 200);

  EXPECT_TRUE(idle.is_closed());
  EXPECT_EQ(refused("too_slow"), 0U);
}

TEST_F(HttpLimitsTest, ClosesConnectionsThatNeverSayAnything) {
  options_.limits.header_timeout = 150ms;
  serve(counting_);
  auto silent = connect();

  EXPECT_TRUE(silent.is_closed());
  EXPECT_EQ(refused("too_slow"), 0U);
}

TEST_F(HttpLimitsTest, SaysThatARequestEndedTooEarly) {
  serve(counting_);
  for (auto const bytes :
       {"GET / HT", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab"}) {
    auto client = connect();
    client.send(bytes);
    client.finish_sending();
    EXPECT_EQ(client.receive().status, 400) << bytes;
  }

  EXPECT_EQ(handled_, 0);
}

TEST_F(HttpLimitsTest, SurvivesPeersThatResetAtAnyPoint) {
  serve(counting_);
  auto const bytes = post("/", "0123456789");
  for (std::size_t count = 0; count <= bytes.size(); ++count) {
    auto client = connect();
    client.send(std::string_view{bytes}.substr(0, count));
    client.reset();
  }

  EXPECT_TRUE(soon([&] { return metric("sallyport_http_connections") == 0; }));
  EXPECT_EQ(ask(get("/")).status, 200);
}

TEST_F(HttpLimitsTest, TurnsConnectionsAwayBeyondTheLimit) {
  serve(counting_);
  std::vector<RawClient> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(connect());
    clients.back().send(get("/"));
    EXPECT_EQ(clients.back().receive().status, 200);
  }

  expect_refusal(get("/"), 503);
  EXPECT_EQ(refused("too_many_connections"), 1U);
  clients.pop_back();

  EXPECT_TRUE(soon([&] { return ask(get("/")).status == 200; }));
}

Async<void> write_without_end(net::Exchange& exchange, std::promise<Errc>& failure) {
  std::string const piece(1 << 20, 'x');
  auto sent = co_await exchange.begin({});
  while (sent) sent = co_await exchange.write(piece);
  failure.set_value(sent.error().code);
}

TEST_F(HttpLimitsTest, ResetsAPeerThatDoesNotRead) {
  options_.limits.write_timeout = 200ms;
  std::promise<Errc> failure;
  serve([&](net::Exchange& exchange) { return write_without_end(exchange, failure); });
  RawClient client{server_->port(), 4096};

  client.send(get("/"));
  auto future = failure.get_future();

  ASSERT_EQ(future.wait_for(10s), std::future_status::ready);
  EXPECT_EQ(future.get(), Errc::Cancelled);
  EXPECT_EQ(refused("slow_reader"), 1U);
  client.receive_rest();
  EXPECT_TRUE(client.was_reset());
}

}  // namespace
}  // namespace sallyport::test
