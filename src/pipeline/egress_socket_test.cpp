// WebSockets on the road: the stages before one, the records of one, and what its caller sees.
#include "src/base/deadline.hpp"
#include "src/pipeline/test_road.hpp"

#include <deque>

namespace sallyport::pipeline::fakes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct ServerSide {
  std::deque<SocketMessage> messages;  // what comes
  SocketClosing closing{1000, "bye"};  // and how it ends
  std::optional<Error> failure;        // instead
  bool hangs{false};                   // instead
  std::vector<std::string> sent;
  int alive{0};
};

class FakeSocket final : public egress::Socket {
 public:
  explicit FakeSocket(ServerSide& server) : server_{server} { ++server_.alive; }
  ~FakeSocket() override { --server_.alive; }
  FakeSocket(FakeSocket const&) = delete;
  FakeSocket& operator=(FakeSocket const&) = delete;

  std::string const& protocol() const noexcept override { return protocol_; }
  std::string const& extensions() const noexcept override { return extensions_; }
  Task<std::optional<SocketMessage>> next() override {
    if (!server_.messages.empty()) {
      auto message = std::move(server_.messages.front());
      server_.messages.pop_front();
      co_return std::optional{std::move(message)};
    }
    if (server_.hangs) {
      Timer timer{co_await asio::this_coro::executor, Clock::time_point::max()};
      co_await timer.async_wait(use_async);
    }
    if (server_.failure) co_return *server_.failure;
    closing_ = server_.closing;
    co_return std::optional<SocketMessage>{};
  }
  Task<void> send(SocketMessage message) override {
    server_.sent.push_back(message.data);
    co_return Result<void>{};
  }
  Task<void> close(std::optional<std::uint16_t>, std::string) override { co_return Result<void>{}; }
  SocketClosing const& closing() const noexcept override { return closing_; }
  egress::ExchangeStats stats() const override {
    return {.connected_address = "93.184.215.14", .bytes_sent = 3, .bytes_received = 4};
  }

 private:
  ServerSide& server_;
  std::string protocol_{"chat"};
  std::string extensions_;
  SocketClosing closing_;
};

class FakeSockets final : public egress::SocketConnector {
 public:
  Task<egress::Handshake> open(egress::SocketDispatch dispatch,
                               egress::ExchangeStats& stats) override {
    stats.connected_address = dispatch.addresses.all().front().to_string();
    opened.push_back(dispatch);
    if (failure) co_return *failure;
    auto const status = statuses.empty() ? 101 : statuses.front();
    if (!statuses.empty()) statuses.pop_front();
    egress::Handshake handshake{.head = {.status = status, .reason = "Hm"}, .socket = nullptr};
    if (status == 101) handshake.socket = std::make_unique<FakeSocket>(server);
    co_return std::move(handshake);
  }

  std::vector<egress::SocketDispatch> opened;
  std::deque<int> statuses;
  std::optional<Error> failure;
  ServerSide server;
};

// Another token each time one was refused.
class FreshTokens final : public credentials::Source {
 public:
  Task<Secret> value(credentials::Ask const&) override {
    co_return Secret{"Bearer fresh-token-" + std::to_string(number_)};
  }
  bool renews() const noexcept override { return true; }
  Async<bool> renew(Secret const&, credentials::Ask const&) override {
    ++number_;
    co_return true;
  }

 private:
  int number_{1};
};

class EgressSocketTest : public EgressRoadTest {
 protected:
  EgressSocketTest() { sockets_ = &connector_of_sockets_; }

  // Opens it and does something with it.
  Result<void> with_socket(SocketRequest request,
                           std::function<Task<void>(OutboundSocket&)> const& use) {
    return on_road<void>([&](EgressRoad& road, Passage const& passage) -> Task<void> {
      auto asked = passage;
      asked.operation = "websocket";
      SP_CO_TRY(auto const socket, co_await road.connect(std::move(asked), std::move(request)));
      co_return co_await use(*socket);
    });
  }
  Result<void> read(SocketRequest request) {
    return with_socket(std::move(request), [&](OutboundSocket& socket) -> Task<void> {
      while (true) {
        auto message = co_await socket.next();
        closing_ = socket.closing();
        if (!message) co_return std::move(message).error();
        if (!*message) co_return Result<void>{};
        came_.push_back((*message)->data);
      }
    });
  }
  static SocketRequest to(std::string url) { return {.url = std::move(url)}; }

  FakeSockets connector_of_sockets_;
  ServerSide& server_{connector_of_sockets_.server};
  std::vector<egress::SocketDispatch>& opened_{connector_of_sockets_.opened};
  std::vector<std::string> came_;
  SocketClosing closing_;
};

TEST_F(EgressSocketTest, PassesTheStagesAndHasTwoRecords) {
  server_.messages = {{true, "one"}, {false, "two"}};
  auto request = to("wss://a.example/x?q=1");
  request.protocols = {"chat", "other"};
  request.message_bytes = 77;

  ASSERT_TRUE(read(std::move(request)));

  EXPECT_THAT(came_, ElementsAre("one", "two"));
  EXPECT_EQ(closing_.code, 1000);
  ASSERT_EQ(opened_.size(), 1);
  auto const& dispatch = opened_[0];
  EXPECT_EQ(dispatch.url.href(), "wss://a.example/x?q=1");
  EXPECT_EQ(dispatch.addresses.port(), 443);
  EXPECT_EQ(*dispatch.headers.find("Authorization"), "Bearer hidden-token");
  EXPECT_EQ(*dispatch.headers.find("Sec-WebSocket-Protocol"), "chat, other");
  EXPECT_EQ(dispatch.limits.message_bytes, 77);
  ASSERT_EQ(sink_.records.size(), 2);
  auto const& [first, last] = std::pair{sink_.records[0], sink_.records[1]};
  EXPECT_EQ(first.stream, audit::StreamState::Opened);
  EXPECT_EQ(first.status, 101);
  EXPECT_EQ(first.close_code, 0);
  EXPECT_EQ(last.stream, audit::StreamState::Closed);
  EXPECT_EQ(last.id, first.id);
  EXPECT_EQ(last.close_code, 1000);
  EXPECT_EQ(last.bytes_sent, 3);
  EXPECT_EQ(last.bytes_received, 4);
  EXPECT_EQ(last.error_code, "");
  EXPECT_EQ(last.hops[0].connected, "93.184.215.14");
  EXPECT_THAT(last.hops[0].injected, ElementsAre("Authorization"));
  EXPECT_EQ(server_.alive, 0);
}

TEST_F(EgressSocketTest, TakesHttpForWs) {
  EXPECT_TRUE(read(to("http://b.example:8080/")));
  EXPECT_TRUE(read(to("HTTPS://b.example/")));
  ASSERT_EQ(opened_.size(), 2);
  EXPECT_EQ(opened_[0].url.href(), "ws://b.example:8080/");
  EXPECT_EQ(opened_[1].url.href(), "wss://b.example/");
}

TEST_F(EgressSocketTest, RefusesBeforeAnythingIsDialled) {
  struct Case {
    std::string url;
    Errc code;
    std::string text;
  };
  Case const cases[] = {
      {"wss://denied.example/", Errc::PolicyDenied, "rule \"no\" of egress.deny"},
      {"wss://inside.example/", Errc::EgressBlocked, "private"},
      {"ws://127.0.0.1/", Errc::EgressBlocked, "loopback"},
      {"ws://b.example:25/", Errc::EgressBlocked, "port"},
      {"wss://me:secret@b.example/", Errc::InvalidInput, "credentials"},
      {"ftp://b.example/", Errc::EgressBlocked, "use ws or wss"},
      {"wss://", Errc::InvalidInput, ""},
  };
  for (auto const& [url, code, text] : cases) {
    auto const outcome = read(to(url));
    ASSERT_FALSE(outcome) << url;
    EXPECT_EQ(outcome.error().code, code) << url;
    EXPECT_THAT(outcome.error().message, HasSubstr(text)) << url;
    EXPECT_EQ(record().verdict, audit::Verdict::Denied) << url;
    EXPECT_EQ(record().stream, audit::StreamState::None) << url;
  }
  EXPECT_TRUE(opened_.empty());
  EXPECT_EQ(sink_.records.size(), std::size(cases));
}

TEST_F(EgressSocketTest, RefusesHeadersAndSubprotocolsThatCannotBeSent) {
  auto with_header = to("wss://b.example/");
  with_header.headers.add("Sec-WebSocket-Key", "mine");
  EXPECT_EQ(read(with_header).error().code, Errc::InvalidInput);
  for (auto const& protocols :
       std::vector<std::vector<std::string>>{{"a b"}, {""}, {"a", "a"}, {"a\r\nX: 1"}}) {
    auto request = to("wss://b.example/");
    request.protocols = protocols;
    EXPECT_EQ(read(std::move(request)).error().code, Errc::InvalidInput);
  }
  auto many = to("wss://b.example/");
  for (int i = 0; i < 33; ++i) many.protocols.push_back(std::to_string(i));
  EXPECT_EQ(read(std::move(many)).error().code, Errc::LimitExceeded);
  EXPECT_TRUE(opened_.empty());
}

TEST_F(EgressSocketTest, FailsWithTheStatusOfAServerThatDoesNotAgree) {
  for (int const status : {200, 302, 403, 500}) {
    connector_of_sockets_.statuses = {status};
    auto const outcome = read(to("wss://b.example/"));
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, Errc::UpstreamFailed);
    EXPECT_EQ(outcome.error().message, "b.example does not open a WebSocket: it answered " +
                                           std::to_string(status) + " Hm.");
    EXPECT_EQ(record().status, status);
    EXPECT_EQ(record().verdict, audit::Verdict::Allowed);
    EXPECT_EQ(record().error_code, "upstream_failed");
  }
}

TEST_F(EgressSocketTest, TriesAnotherTokenOnceAfterA401) {
  injector_ = credentials::Injector{{{.reach = {.hosts = {"a.example"}},
                                      .header = "Authorization",
                                      .source = std::make_shared<FreshTokens>()}}};
  connector_of_sockets_.statuses = {401, 101};
  EXPECT_TRUE(read(to("wss://a.example/")));
  ASSERT_EQ(opened_.size(), 2);
  EXPECT_EQ(*opened_[0].headers.find("Authorization"), "Bearer fresh-token-1");
  EXPECT_EQ(*opened_[1].headers.find("Authorization"), "Bearer fresh-token-2");
  EXPECT_EQ(record().hops.size(), 2);

  connector_of_sockets_.statuses = {401, 401, 101};
  auto const outcome = read(to("wss://a.example/"));
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().message, HasSubstr("it answered 401"));
  EXPECT_EQ(opened_.size(), 4);
}

TEST_F(EgressSocketTest, FailsAsTheConnectionFails) {
  connector_of_sockets_.failure = fail(Errc::DeadlineExceeded, "too late");
  EXPECT_EQ(read(to("wss://b.example/")).error().message, "too late");
  EXPECT_EQ(sink_.records.size(), 1);
  EXPECT_EQ(record().error_code, "deadline_exceeded");
}

TEST_F(EgressSocketTest, RecordsAConnectionThatBroke) {
  server_.closing = {1006, "The connection broke."};
  EXPECT_TRUE(read(to("wss://b.example/")));
  EXPECT_EQ(closing_.code, 1006);
  EXPECT_EQ(record().close_code, 1006);
  EXPECT_EQ(record().error_code, "upstream_failed");
  EXPECT_EQ(record().error, "The connection broke.");
}

TEST_F(EgressSocketTest, FailsOverALimitAndSaysItAgain) {
  server_.failure = fail(Errc::LimitExceeded, "too much");
  auto const outcome =
      with_socket(to("wss://b.example/"), [&](OutboundSocket& socket) -> Task<void> {
        auto const first = co_await socket.next();
        auto const again = co_await socket.next();
        auto const sent = co_await socket.send({true, "x"});
        EXPECT_FALSE(sent);
        EXPECT_EQ(first.error().message, again.error().message);
        co_return first.error();
      });
  EXPECT_EQ(outcome.error().message, "too much");
  EXPECT_EQ(record().error_code, "limit_exceeded");
  EXPECT_EQ(sink_.records.size(), 2);
}

TEST_F(EgressSocketTest, RecordsThatItsOwnerLeft) {
  EXPECT_TRUE(with_socket(to("wss://b.example/"), [](OutboundSocket& socket) -> Task<void> {
    return socket.send({true, "hello"});
  }));
  EXPECT_THAT(server_.sent, ElementsAre("hello"));
  ASSERT_EQ(sink_.records.size(), 2);
  EXPECT_EQ(record().error_code, "cancelled");
  EXPECT_EQ(record().stream, audit::StreamState::Closed);
}

TEST_F(EgressSocketTest, RecordsItsEndAlsoWhenItsReaderIsCancelled) {
  server_.hangs = true;
  auto const outcome =
      with_socket(to("wss://b.example/"), [](OutboundSocket& socket) -> Task<void> {
        auto const came =
            co_await with_deadline(Deadline::in(std::chrono::milliseconds{5}), socket.next());
        EXPECT_FALSE(came);
        co_return Result<void>{};
      });
  EXPECT_TRUE(outcome);
  ASSERT_EQ(sink_.records.size(), 2);
  EXPECT_EQ(record().error_code, "cancelled");
}

TEST_F(EgressSocketTest, HidesACredentialThatTheServerRepeats) {
  server_.messages = {{true, "you said: Bearer hidden-token!"}};
  server_.closing = {4001, "no: hidden-token"};
  ASSERT_TRUE(read(to("wss://a.example/")));
  ASSERT_EQ(came_.size(), 1);
  EXPECT_EQ(came_[0].find("hidden-token"), std::string::npos) << came_[0];
  EXPECT_EQ(closing_.reason.find("hidden-token"), std::string::npos) << closing_.reason;
}

TEST_F(EgressSocketTest, IsNotOnARoadWithoutThem) {
  sockets_ = nullptr;
  EXPECT_EQ(read(to("wss://b.example/")).error().code, Errc::NotFound);
  EXPECT_TRUE(sink_.records.empty());
}

}  // namespace
}  // namespace sallyport::pipeline::fakes
