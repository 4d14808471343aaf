// What every client may rely on: framing, keep-alive, pipelining, answers.
#include "tests/integration/http_server_fixture.hpp"

#include <gmock/gmock.h>

#include <set>
#include <stdexcept>
#include <vector>

namespace sallyport::test {
namespace {

TEST_F(HttpServerTest, AnswersOneRequestAfterTheOtherOnAConnection) {
  serve(echo);
  auto client = connect();

  for (int round = 0; round < 3; ++round) {
    client.send(post("/a", "body"));
    auto const response = client.receive();
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.body, "POST /a body");
    EXPECT_TRUE(response.has("Content-Type: text/plain"));
    EXPECT_NE(response.head.find("\r\nDate: "), std::string::npos);
  }
}

TEST_F(HttpServerTest, AnswersPipelinedRequestsInOrder) {
  serve(echo);
  auto client = connect();

  client.send(get("/1") + post("/2", "two") + get("/3") + get("/4", "Connection: close\r\n"));

  EXPECT_EQ(client.receive().body, "GET /1 ");
  EXPECT_EQ(client.receive().body, "POST /2 two");
  EXPECT_EQ(client.receive().body, "GET /3 ");
  EXPECT_EQ(client.receive().body, "GET /4 ");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpServerTest, AnswersMorePipelinedRequestsThanItsBufferHolds) {
  serve(echo);
  auto client = connect();
  constexpr int kCount = 2000;
  std::string bytes;
  for (int i = 0; i < kCount; ++i) bytes += post("/" + std::to_string(i), "some body");

  std::thread sender{[&] { client.send(bytes); }};
  int in_order = 0;
  for (int i = 0; i < kCount; ++i) {
    in_order += client.receive().body == "POST /" + std::to_string(i) + " some body" ? 1 : 0;
  }
  sender.join();

  EXPECT_EQ(in_order, kCount);
}

TEST_F(HttpServerTest, TakesARequestByteByByte) {
  serve(echo);
  auto client = connect();

  for (char const c : post("/slow", "body") + get("/next")) client.send({&c, 1});

  EXPECT_EQ(client.receive().body, "POST /slow body");
  EXPECT_EQ(client.receive().body, "GET /next ");
}

TEST_F(HttpServerTest, TakesChunkedBodies) {
  serve(echo);
  auto client = connect();
  std::string const head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::string const body = "3\r\nabc\r\n4;x=y\r\ndefg\r\n0\r\nTrailer: x\r\n\r\n";

  client.send(head + body);
  EXPECT_EQ(client.receive().body, "POST / abcdefg");
  for (char const c : head + body) client.send({&c, 1});
  EXPECT_EQ(client.receive().body, "POST / abcdefg");
}

TEST_F(HttpServerTest, TakesAndGivesLargeBodies) {
  serve(echo);
  auto client = connect();
  std::string const body(3'000'000, 'x');

  std::thread sender{[&] { client.send(post("/", body) + get("/next")); }};
  auto const response = client.receive();
  sender.join();

  EXPECT_EQ(response.body, "POST / " + body);
  EXPECT_EQ(client.receive().body, "GET /next ");
}

TEST_F(HttpServerTest, HonoursTheWishToClose) {
  serve(echo);
  auto client = connect();

  client.send(get("/", "Connection: close\r\n"));

  EXPECT_TRUE(client.receive().has("Connection: close"));
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpServerTest, KeepsAnHttp10ConnectionOnRequestOnly) {
  serve(echo);

  auto kept = connect();
  kept.send("GET /1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /2 HTTP/1.0\r\n\r\n");

  EXPECT_TRUE(kept.receive().has("Connection: keep-alive"));
  EXPECT_EQ(kept.receive().body, "GET /2 ");
  EXPECT_TRUE(kept.is_closed());
}

TEST_F(HttpServerTest, SendsTheLengthButNoBodyToHead) {
  serve(echo);
  auto client = connect();

  client.send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\n" + get("/y"));

  auto const response = client.receive(false);
  EXPECT_TRUE(response.has("Content-Length: 8"));
  EXPECT_EQ(client.receive().body, "GET /y ");
}

TEST_F(HttpServerTest, AnswersAPeerThatClosedItsSide) {
  serve(echo);
  auto client = connect();

  client.send(get("/"));
  client.finish_sending();

  EXPECT_EQ(client.receive().body, "GET / ");
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpServerTest, InvitesABodyThatWaitsForIt) {
  serve(echo);
  auto client = connect();

  client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.receive().status, 100);
  client.send("ok");

  EXPECT_EQ(client.receive().body, "POST / ok");
}

TEST_F(HttpServerTest, PassesUnknownMethodsOn) {
  serve(echo);

  EXPECT_EQ(ask("BREW /pot HTTP/1.1\r\nHost: a\r\n\r\n").body, "BREW /pot ");
  EXPECT_EQ(ask("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n").body, "CONNECT a:1 ");
}

Async<void> tell_about_request(net::Exchange& exchange) {
  auto const& request = exchange.request();
  http::Response response{.body = request.request_id + ' ' + request.peer_address + ' ' +
                                  request.query + ' ' + *request.headers.find("host")};
  (void)co_await exchange.respond(std::move(response));
}

TEST_F(HttpServerTest, GivesEachRequestAnIdOfItsOwn) {
  serve(tell_about_request);
  std::set<std::string> seen;

  for (int i = 0; i < 20; ++i) {
    auto const body = ask(get("/p?q=1")).body;
    EXPECT_TRUE(body.ends_with(" 127.0.0.1 q=1 a")) << body;
    seen.insert(body);
  }

  EXPECT_EQ(seen.size(), 20U);
}

Async<void> misbehave(net::Exchange& exchange) {
  auto const path = exchange.request().path;
  if (path == "/throw") throw std::runtime_error{"a library's"};
  if (path == "/half") {
    http::Response begun{.body = "half"};
    (void)co_await exchange.begin(std::move(begun));
  }
}

TEST_F(HttpServerTest, TurnsAHandlerThatThrowsOrForgetsInto500) {
  serve(misbehave);

  for (auto const path : {"/throw", "/forget"}) {
    auto const response = ask(get(path));
    EXPECT_EQ(response.status, 500) << path;
    EXPECT_EQ(response.body, R"({"error":"Internal error."})") << path;
  }
}

TEST_F(HttpServerTest, DoesNotPassHalfAnAnswerOffAsAWholeOne) {
  serve(misbehave);

  EXPECT_FALSE(ask(get("/half")).whole);
}

Async<void> stream_three(net::Exchange& exchange) {
  http::Response response{.content_type = "text/event-stream", .body = "one "};
  auto sent = co_await exchange.begin(std::move(response));
  if (sent) sent = co_await exchange.write("");
  if (sent) sent = co_await exchange.write("two ");
  if (sent) sent = co_await exchange.write(std::string(100'000, '3'));
  if (sent) (void)co_await exchange.end();
}

TEST_F(HttpServerTest, StreamsInChunks) {
  serve(stream_three);
  auto client = connect();

  for (int round = 0; round < 2; ++round) {
    client.send(get("/"));
    auto const response = client.receive();
    EXPECT_TRUE(response.has("Transfer-Encoding: chunked"));
    EXPECT_TRUE(response.whole);
    EXPECT_EQ(response.body, "one two " + std::string(100'000, '3'));
  }
}

TEST_F(HttpServerTest, StreamsUntilCloseToHttp10) {
  serve(stream_three);
  auto client = connect();

  client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");

  auto const response = client.receive();
  EXPECT_TRUE(response.has("Connection: close"));
  EXPECT_EQ(response.body, "one two " + std::string(100'000, '3'));
}

TEST_F(HttpServerTest, StreamsNothingToHead) {
  serve(stream_three);
  auto client = connect();

  client.send("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");

  EXPECT_EQ(client.receive(false).status, 200);
  EXPECT_TRUE(client.is_closed());
}

TEST_F(HttpServerTest, StreamsToAThousandPeersAtOnce) {
  serve(stream_three);
  std::vector<RawClient> clients;
  for (int i = 0; i < 1000; ++i) clients.push_back(connect());

  for (auto& client : clients) client.send(get("/"));
  int whole = 0;
  for (auto& client : clients) {
    auto const response = client.receive();
    whole += response.whole && response.body.size() == 100'008 ? 1 : 0;
  }

  EXPECT_EQ(whole, 1000);
}

TEST_F(HttpServerTest, CountsWhatItDoes) {
  serve(echo);

  ask(get("/"));
  ask("bad\r\n\r\n");

  // A connection is gone only after all of its numbers were counted.
  EXPECT_TRUE(soon([&] { return metric("sallyport_http_connections") == 0; }));
  EXPECT_EQ(metric("sallyport_http_requests_total{class=\"2xx\"}"), 1U);
  EXPECT_EQ(metric("sallyport_http_requests_total{class=\"4xx\"}"), 1U);
  EXPECT_EQ(refused("malformed"), 1U);
  EXPECT_GE(metric("sallyport_http_received_bytes_total"), get("/").size());
  EXPECT_GT(metric("sallyport_http_sent_bytes_total"), 0U);
  EXPECT_EQ(metric("sallyport_http_request_seconds_count"), 1U);
}

TEST_F(HttpServerTest, TellsTheOperatorWhatToDoAboutABadAddress) {
  serve(echo);
  struct Case {
    std::string host;
    std::uint16_t port;
    std::string advice;
  };
  Case const cases[] = {
      {"127.0.0.1", server_->port(), "choose another port"},
      {"example.org", 0, "Give an IP address"},
      {"192.0.2.1", 0, "Give an address of this machine"},
  };
  for (auto const& [host, port, advice] : cases) {
    net::ServerOptions options{.host = host, .port = port};
    auto const made = net::HttpServer::create(options, loops_, metrics_, echo);
    ASSERT_FALSE(made) << host;
    EXPECT_EQ(made.error().code, Errc::InvalidInput) << host;
    EXPECT_THAT(made.error().message, testing::HasSubstr(advice));
  }
}

TEST_F(HttpServerTest, ListensOnLocalhostAndIPv6) {
  for (auto const host : {"localhost", "::1", "[::1]", "::"}) {
    net::ServerOptions options{.host = host, .port = 0};
    auto const made = net::HttpServer::create(options, loops_, metrics_, echo);
    EXPECT_TRUE(made) << host << ": " << made.error().message;
  }
}

}  // namespace
}  // namespace sallyport::test
