// How long answers take and who ends them: disconnects, stopping, cancellation.
#include "tests/integration/http_server_fixture.hpp"

#include <vector>

namespace sallyport::test {
namespace {

// Waits until the peer is gone or the server stops, then answers all the same.
Async<void> wait_for_the_end(net::Exchange& exchange, std::atomic<int>& waiting,
                             std::atomic<int>& gone, std::atomic<int>& stopped) {
  auto const executor = co_await asio::this_coro::executor;
  Timer timer{executor, 1h};
  exchange.watch_disconnect([&] {
    ++gone;
    timer.cancel();
  });
  exchange.watch_stop([&] {
    ++stopped;
    timer.cancel();
  });
  ++waiting;
  co_await timer.async_wait(use_tuple);
  http::Response response{.body = "at last"};
  (void)co_await exchange.respond(std::move(response));
}

// As a call that is cancelled when its peer goes: it ends without an answer.
Async<void> leave_with_the_peer(net::Exchange& exchange, std::atomic<int>& waiting) {
  auto const executor = co_await asio::this_coro::executor;
  Timer timer{executor, 1h};
  exchange.watch_disconnect([&] { timer.cancel(); });
  ++waiting;
  co_await timer.async_wait(use_tuple);
}

// Never ends by itself; tells whether it was interrupted.
Async<void> sleep_for_an_hour(std::atomic<int>& waiting, std::atomic<int>& interrupted) {
  auto const executor = co_await asio::this_coro::executor;
  Timer timer{executor, 1h};
  ++waiting;
  auto const [error] = co_await timer.async_wait(use_tuple);
  if (error) ++interrupted;
}

Async<void> stream_until_stopped(net::Exchange& exchange) {
  auto const executor = co_await asio::this_coro::executor;
  Timer timer{executor};
  auto sent = co_await exchange.begin({});
  while (sent && !exchange.stopping()) {
    sent = co_await exchange.write("tick ");
    timer.expires_after(1ms);
    co_await timer.async_wait(use_tuple);
  }
  if (sent) (void)co_await exchange.end();
}

class HttpLifetimeTest : public HttpServerTest {
 protected:
  Async<void> handle(net::Exchange& exchange) {
    auto const path = exchange.request().path;
    if (path == "/wait") return wait_for_the_end(exchange, waiting_, gone_, stopped_);
    if (path == "/leave") return leave_with_the_peer(exchange, waiting_);
    if (path == "/sleep") return sleep_for_an_hour(waiting_, interrupted_);
    if (path == "/stream") return stream_until_stopped(exchange);
    return echo(exchange);
  }

  void serve_them() {
    serve([this](net::Exchange& exchange) { return handle(exchange); });
  }

  std::atomic<int> waiting_{0};
  std::atomic<int> gone_{0};
  std::atomic<int> stopped_{0};
  std::atomic<int> interrupted_{0};
};

TEST_F(HttpLifetimeTest, TellsAHandlerThatThePeerIsGone) {
  serve_them();
  auto closes = connect();
  auto resets = connect();
  closes.send(get("/wait"));
  resets.send(get("/wait"));
  ASSERT_TRUE(soon([&] { return waiting_ == 2; }));

  closes.close();
  resets.reset();

  EXPECT_TRUE(soon([&] { return gone_ == 2; }));
  EXPECT_TRUE(soon([&] { return metric("sallyport_http_connections") == 0; }));
}

// It was logged and counted as an answer with status 500.
TEST_F(HttpLifetimeTest, AClientThatHangsUpIsNoFailureOfTheServer) {
  serve_them();
  auto client = connect();
  client.send(get("/leave"));
  ASSERT_TRUE(soon([&] { return waiting_ == 1; }));

  client.close();

  EXPECT_TRUE(soon([&] { return metric("sallyport_http_abandoned_total") == 1; }));
  EXPECT_EQ(metric("sallyport_http_requests_total{class=\"5xx\"}"), 0);
}

TEST_F(HttpLifetimeTest, CountsAHalfClosedPeerAsGoneButStillAnswersIt) {
  serve_them();
  auto client = connect();
  client.send(get("/wait"));
  client.finish_sending();

  EXPECT_EQ(client.receive().body, "at last");
  EXPECT_EQ(gone_, 1);
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpLifetimeTest, KeepsWhatIsPipelinedWhileItWatches) {
  serve_them();
  auto client = connect();
  client.send(get("/wait"));
  ASSERT_TRUE(soon([&] { return waiting_ == 1; }));

  client.send(get("/1") + get("/2"));
  client.send(post("/3", "three"));
  client.finish_sending();

  EXPECT_EQ(client.receive().body, "at last");
  EXPECT_EQ(client.receive().body, "GET /1 ");
  EXPECT_EQ(client.receive().body, "GET /2 ");
  EXPECT_EQ(client.receive().body, "POST /3 three");
  EXPECT_EQ(gone_, 1);
}

TEST_F(HttpLifetimeTest, NoticesADisconnectBehindMoreThanItsBufferHolds) {
  serve_them();
  auto client = connect();
  client.send(get("/wait"));
  ASSERT_TRUE(soon([&] { return waiting_ == 1; }));

  client.send(post("/1", std::string(60'000, 'x')));
  client.close();

  EXPECT_TRUE(soon([&] { return gone_ == 1; }));
}

TEST_F(HttpLifetimeTest, ReadsNoMoreThanSoManyRequestsAhead) {
  options_.limits.pipelined_requests = 2;
  serve_them();
  auto client = connect();
  client.send(get("/wait"));
  ASSERT_TRUE(soon([&] { return waiting_ == 1; }));

  auto const received = metric("sallyport_http_received_bytes_total");
  client.send(get("/1") + get("/2"));
  ASSERT_TRUE(soon([&] { return metric("sallyport_http_received_bytes_total") > received; }));
  auto const ahead = metric("sallyport_http_received_bytes_total");
  client.send(get("/3"));
  client.finish_sending();

  EXPECT_EQ(client.receive().body, "at last");  // the disconnect was noticed all the same
  EXPECT_EQ(ahead - received, (get("/1") + get("/2")).size());
  for (auto const body : {"GET /1 ", "GET /2 ", "GET /3 "}) EXPECT_EQ(client.receive().body, body);
}

Async<void> watch_and_answer(net::Exchange& exchange, std::atomic<int>& gone) {
  exchange.watch_disconnect([&] { ++gone; });
  http::Response response{.body = exchange.request().path};
  (void)co_await exchange.respond(std::move(response));
}

TEST_F(HttpLifetimeTest, ForgetsTheWatchWhenTheHandlerReturns) {
  serve([this](net::Exchange& exchange) { return watch_and_answer(exchange, gone_); });
  auto client = connect();

  for (auto const path : {"/1", "/2", "/3"}) {
    client.send(get(path));
    EXPECT_EQ(client.receive().body, path);
  }
  client.close();

  EXPECT_TRUE(soon([&] { return metric("sallyport_http_connections") == 0; }));
  EXPECT_EQ(gone_, 0);
}

TEST_F(HttpLifetimeTest, ClosesIdleConnectionsAtOnceWhenItStops) {
  serve_them();
  auto idle = connect();
  idle.send(get("/"));
  EXPECT_EQ(idle.receive().status, 200);
  auto const port = server_->port();

  auto const took = stop(10s);

  EXPECT_LT(took, 2s);
  EXPECT_TRUE(idle.is_closed());
  EXPECT_FALSE(RawClient{port}.connected());
}

TEST_F(HttpLifetimeTest, LetsAnswersFinishWithinTheGracePeriod) {
  serve_them();
  auto waits = connect();
  auto streams = connect();
  waits.send(get("/wait"));
  streams.send(get("/stream"));
  ASSERT_TRUE(soon([&] { return waiting_ == 1; }));
  ASSERT_TRUE(streams.receive_some());

  auto const took = stop(10s);

  EXPECT_LT(took, 5s);
  EXPECT_EQ(stopped_, 1);
  EXPECT_EQ(waits.receive().body, "at last");
  EXPECT_TRUE(streams.receive().whole);
}

TEST_F(HttpLifetimeTest, CutsWhatIsLeftAfterTheGracePeriod) {
  serve_them();
  auto client = connect();
  client.send(get("/sleep"));
  ASSERT_TRUE(soon([&] { return waiting_ == 1; }));

  auto const took = stop(100ms);

  EXPECT_GE(took, 100ms);
  EXPECT_LT(took, 5s);
  EXPECT_EQ(interrupted_, 1);
  EXPECT_EQ(client.receive().status, 0);
}

TEST_F(HttpLifetimeTest, StopsEarlierWhenToldAgain) {
  serve_them();
  auto client = connect();
  client.send(get("/sleep"));
  ASSERT_TRUE(soon([&] { return waiting_ == 1; }));
  std::promise<void> done;

  server_->stop(1h, [&] { done.set_value(); });
  auto const took = stop(0ms);

  EXPECT_LT(took, 5s);
  EXPECT_EQ(done.get_future().wait_for(0s), std::future_status::ready);
}

TEST_F(HttpLifetimeTest, StopsWithoutEverHavingStarted) {
  auto made = net::HttpServer::create({.port = 0}, loops_, metrics_, echo);
  ASSERT_TRUE(made);
  bool done = false;

  (*made)->stop(1h, [&] {
    done = true;
    loops_.finish();
  });
  loops_.run();

  EXPECT_TRUE(done);
}

TEST_F(HttpLifetimeTest, StopsUnderLoad) {
  serve_them();
  auto const port = server_->port();
  std::atomic<int> answered{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      while (true) {
        RawClient client{port};
        bool alive = client.connected();
        if (!alive) return;
        for (int i = 0; alive && i < 50; ++i) {
          client.send(caller == 0 ? get("/wait") : post("/", "x"));
          if (caller == 0) client.finish_sending();
          alive = client.receive().status == 200;
          answered += alive ? 1 : 0;
        }
      }
    });
  }
  ASSERT_TRUE(soon([&] { return answered > 500; }));

  auto const took = stop(1s);
  for (auto& caller : callers) caller.join();

  EXPECT_LT(took, 5s);
}

}  // namespace
}  // namespace sallyport::test
