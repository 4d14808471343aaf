// The connection goes where it was judged to go, and nowhere else; through a proxy if one is set.
#include "src/egress/transfer.hpp"

#include "tests/support/connect_proxy.hpp"
#include "tests/support/egress.hpp"
#include "tests/support/origin.hpp"

#include <gmock/gmock.h>

namespace sallyport::egress {
namespace {

using namespace std::chrono_literals;
using test::get;
using test::make_connector;
using test::Origin;
using test::send;
using testing::HasSubstr;
using testing::Not;

std::string at(std::string const& host, Origin const& origin) {
  return "http://" + host + ":" + std::to_string(origin.port()) + "/";
}

TEST(EgressPinning, DialsTheJudgedAddressWhateverTheNameMeans) {
  // No resolver knows this name.
  Origin const origin{Origin::answering([](std::string const& head) { return Origin::ok(head); })};
  auto const connector = make_connector();

  auto const answer = send(*connector, get(at("nowhere.example", origin)));

  ASSERT_TRUE(answer) << answer.error().detail;
  EXPECT_THAT(answer->body,
              HasSubstr("Host: nowhere.example:" + std::to_string(origin.port()) + "\r\n"));
  EXPECT_EQ(answer->stats.connected_address, "127.0.0.1");
}

TEST(EgressPinning, DoesNotSendOverAConnectionToAnAddressOfAnEarlierJudgement) {
  Origin const first{Origin::answering(Origin::ok("first"))};
  Origin const second{Origin::answering(Origin::ok("second")), {}, "127.0.0.2", first.port()};
  auto const connector = make_connector();

  for (int round = 0; round < 3; ++round) {
    auto const one = send(*connector, get(at("rebinding.example", first), {"127.0.0.1"}));
    auto const two = send(*connector, get(at("rebinding.example", first), {"127.0.0.2"}));
    ASSERT_TRUE(one && two);
    EXPECT_EQ(one->body, "first");
    EXPECT_EQ(two->body, "second");
    EXPECT_EQ(two->stats.connected_address, "127.0.0.2");
  }
  EXPECT_EQ(first.connections(), 1U);
  EXPECT_EQ(second.connections(), 1U);
}

TEST(EgressPinning, NamesDoNotShareConnections) {
  Origin const origin{Origin::answering(Origin::ok("x"))};
  auto const connector = make_connector();
  ASSERT_TRUE(send(*connector, get(at("one.example", origin))));
  ASSERT_TRUE(send(*connector, get(at("two.example", origin))));
  EXPECT_EQ(origin.connections(), 2U);
}

TEST(EgressPinning, TakesTheNextAddressWhenOneRefuses) {
  Origin const origin{Origin::answering(Origin::ok("third")), {}, "127.0.0.3"};
  auto const connector = make_connector();
  for (bool const whole : test::kModes) {
    auto dispatch = get(at("many.example", origin), {"127.0.0.1", "127.0.0.2", "127.0.0.3"});
    dispatch.method = "POST";
    dispatch.body = "body";
    dispatch.whole = whole;
    auto const answer = send(*connector, std::move(dispatch));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->body, "third");
    EXPECT_EQ(answer->stats.connected_address, "127.0.0.3");
  }
  EXPECT_EQ(origin.requests(), 2U);
}

TEST(EgressPinning, FailsWhenAllAddressesRefuse) {
  std::string url;
  {
    Origin const gone{Origin::silent()};
    url = at("many.example", gone);
  }
  auto const connector = make_connector();
  EXPECT_FAILS(send(*connector, get(url, {"127.0.0.1", "127.0.0.2"})), Errc::UpstreamFailed,
               "Connecting to many.example failed: connection refused.");
}

TEST(EgressPinning, SendsOnceEvenWhenTheFirstAddressBreaksAfterwards) {
  Origin const breaking{Origin::answering_once("")};
  Origin const other{Origin::answering(Origin::ok("x")), {}, "127.0.0.2", breaking.port()};
  auto const connector = make_connector();
  auto const answer =
      send(*connector, get(at("many.example", breaking), {"127.0.0.1", "127.0.0.2"}));
  EXPECT_FALSE(answer);
  EXPECT_EQ(breaking.requests(), 1U);
  EXPECT_EQ(other.connections(), 0U);
}

// Accepts nothing: the kernel's queue is full after a few, and later handshakes get no answer.
class Unreachable {
 public:
  explicit Unreachable(char const* address) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    to_.sin_family = AF_INET;
    inet_pton(AF_INET, address, &to_.sin_addr);
    bind(listener_, reinterpret_cast<sockaddr*>(&to_), sizeof to_);
    listen(listener_, 0);
    socklen_t size = sizeof to_;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&to_), &size);
    for (auto& filler : fillers_) {
      filler = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
      connect(filler, reinterpret_cast<sockaddr*>(&to_), sizeof to_);
    }
  }
  ~Unreachable() {
    for (int const filler : fillers_) close(filler);
    close(listener_);
  }
  Unreachable(Unreachable const&) = delete;
  Unreachable& operator=(Unreachable const&) = delete;
  std::uint16_t port() const { return ntohs(to_.sin_port); }

 private:
  sockaddr_in to_{};
  int listener_{-1};
  int fillers_[4]{};
};

TEST(EgressPinning, LeavesASilentAddressAfterThreeSeconds) {
  Unreachable const silent{"127.0.0.1"};
  Origin const origin{Origin::answering(Origin::ok("second")), {}, "127.0.0.2", silent.port()};
  auto const connector = make_connector();
  auto const start = Clock::now();

  ExchangeStats stats;
  auto const answer =
      send(*connector, get(at("many.example", origin), {"127.0.0.1", "127.0.0.2"}), &stats);

  ASSERT_TRUE(answer) << answer.error().message << stats.connected_address;
  EXPECT_EQ(answer->stats.connected_address, "127.0.0.2");
  EXPECT_GE(Clock::now() - start, 2990ms);
  EXPECT_LT(Clock::now() - start, 4s);
}

TEST(EgressPinning, GivesUpASilentAddressAtTheConnectLimit) {
  Unreachable const silent{"127.0.0.1"};
  auto const connector = make_connector();
  auto dispatch = get("http://127.0.0.1:" + std::to_string(silent.port()));
  dispatch.limits.connect = 200ms;
  auto const start = Clock::now();
  EXPECT_FAILS(send(*connector, std::move(dispatch)), Errc::DeadlineExceeded,
               "Connecting to 127.0.0.1 failed: no answer within 200 ms.");
  EXPECT_GE(Clock::now() - start, 199ms);
  EXPECT_LT(Clock::now() - start, 700ms);
}

TEST(EgressPinning, SaysWhenNoConnectionBecameFree) {
  Origin const origin{Origin::silent()};
  auto const connector = make_connector({.connections_per_host = 1});
  auto const task = [&]() -> Task<test::Answer> {
    auto first = get(origin.url());
    first.deadline = Deadline::in(500ms);
    asio::co_spawn(co_await asio::this_coro::executor, test::read_all(*connector, std::move(first)),
                   [](auto, auto const&) {});
    auto second = get(origin.url());
    second.limits.connect = 150ms;
    co_await asio::post(co_await asio::this_coro::executor, use_async);
    co_return co_await test::read_all(*connector, std::move(second));
  };
  EXPECT_FAILS(test::run(task()), Errc::DeadlineExceeded,
               "No connection to 127.0.0.1 became free within 150 ms.");
}

ConnectorOptions through(Origin const& proxy, std::string const& credentials = {}) {
  return {.proxy = ProxyOptions{.url = test::parse_url("http://" + credentials + "proxy.example:" +
                                                       std::to_string(proxy.port())),
                                .addresses = {*url::IpAddress::parse("127.0.0.1")}}};
}

TEST(EgressPinning, AProxyIsAskedForTheJudgedAddress) {
  test::ProxyLog log;
  Origin const proxy{test::connect_proxy(log)};
  Origin const origin{Origin::answering([](std::string const& head) { return Origin::ok(head); })};
  auto const connector = make_connector(through(proxy, "me:pass%20word@"));

  for (int round = 0; round < 2; ++round) {
    auto const answer = send(*connector, get(at("nowhere.example", origin), {"127.0.0.9"}));
    ASSERT_TRUE(answer) << answer.error().message << answer.error().detail;
    EXPECT_THAT(answer->body, HasSubstr("Host: nowhere.example"));
    EXPECT_THAT(answer->body, Not(HasSubstr("Proxy")));
  }
  ASSERT_EQ(log.heads().size(), 1U);
  EXPECT_TRUE(
      log.heads()[0].starts_with("CONNECT 127.0.0.9:" + std::to_string(origin.port()) + " "));
  EXPECT_THAT(log.heads()[0], HasSubstr("Proxy-Authorization: Basic bWU6cGFzcyB3b3Jk\r\n"));
  EXPECT_THAT(log.heads()[0], Not(HasSubstr("Accept-Encoding")));
}

TEST(EgressPinning, AProxyIsAskedForTheNameWhereItRefusesAddresses) {
  test::ProxyLog log;
  Origin const proxy{test::connect_proxy(log)};
  Origin const origin{Origin::answering(Origin::ok("x"))};
  auto options = through(proxy);
  options.proxy->by_name = true;
  auto const connector = make_connector(std::move(options));

  auto const answer = send(*connector, get(at("nowhere.example", origin)));

  ASSERT_TRUE(answer) << answer.error().message;
  ASSERT_EQ(log.heads().size(), 1U);
  EXPECT_TRUE(log.heads()[0].starts_with("CONNECT nowhere.example:"));
}

TEST(EgressPinning, AProxyKeepsTheCallersHeadersToTheOrigin) {
  test::ProxyLog log;
  Origin const proxy{test::connect_proxy(log)};
  Origin const origin{Origin::answering(Origin::ok("x"))};
  auto const connector = make_connector(through(proxy));
  auto dispatch = get(origin.url());
  dispatch.headers = {{"Authorization", "Bearer for-the-origin"}};

  ASSERT_TRUE(send(*connector, std::move(dispatch)));

  EXPECT_THAT(log.heads().at(0), Not(HasSubstr("for-the-origin")));
}

TEST(EgressPinning, TheSocketCallbackHasTheLastWord) {
  // A proxy whose host is an address that is not among its addresses: libcurl would dial it.
  Origin const proxy{Origin::answering(Origin::ok("x"))};
  auto options = through(proxy);
  options.proxy->url = test::parse_url(proxy.url());
  options.proxy->addresses = {*url::IpAddress::parse("127.0.0.5")};
  auto const connector = make_connector(std::move(options));
  EXPECT_FAILS(send(*connector, get("http://nowhere.example:8080/")), Errc::EgressBlocked,
               "The connection would go to an address that was not judged.");
  EXPECT_EQ(proxy.connections(), 0U);
}

// As if libcurl had reused a connection that it should not have: the socket is not ours to judge,
// so that the check before the request stands alone.
TEST(EgressPinning, TheCheckBeforeARequestHasTheLastWordOverAConnection) {
  Origin const judged{Origin::answering(Origin::ok("judged")), {}, "127.0.0.2"};
  Origin const other{Origin::answering(Origin::ok("x")), {}, "127.0.0.1", judged.port()};
  ConnectorOptions const options;
  SocketWatches watches{-1};
  LoopState loop{.watches = watches, .now = Clock::now()};
  CurlHandles handles{options};
  auto const close_socket = [](void*, curl_socket_t socket) { return ::close(socket); };
  for (bool const astray : {false, true}) {
    auto const delivery = std::make_shared<Delivery>();
    Transfer transfer{*PreparedRequest::create(get(at("nowhere.example", judged), {"127.0.0.2"})),
                      delivery, handles.take(close_socket, nullptr), options, loop};
    auto* const handle = transfer.handle();
    curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, nullptr);
    auto route = "::127.0.0.1:" + std::to_string(other.port());
    curl_slist elsewhere{route.data(), nullptr};
    if (astray) curl_easy_setopt(handle, CURLOPT_CONNECT_TO, &elsewhere);

    auto const code = curl_easy_perform(handle);
    transfer.end(code);

    long connects = 0;
    curl_easy_getinfo(handle, CURLINFO_NUM_CONNECTS, &connects);
    EXPECT_EQ(connects, 1);
    EXPECT_EQ(code, astray ? CURLE_ABORTED_BY_CALLBACK : CURLE_OK);
    auto const failure = delivery->failure();
    EXPECT_EQ(failure.has_value(), astray);
    if (failure) {
      EXPECT_EQ(failure->message, "The connection leads to an address that was not judged.");
    }
  }
  EXPECT_EQ(judged.requests(), 1U);
  EXPECT_EQ(other.requests(), 0U);
}

TEST(EgressPinning, SaysThatTheProxyRefused) {
  Origin const proxy{Origin::answering("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")};
  auto const connector = make_connector(through(proxy));
  EXPECT_FAILS(send(*connector, get("http://nowhere.example:8080/")), Errc::UpstreamFailed,
               "The proxy refused the connection to nowhere.example.");
}

}  // namespace
}  // namespace sallyport::egress
