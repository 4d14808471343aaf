// The same server behind TLS, seen by OpenSSL's own client.
#include "tests/integration/http_server_fixture.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <gmock/gmock.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <cstdio>
#include <filesystem>
#include <unistd.h>

namespace sallyport::test {
namespace {

namespace ssl = asio::ssl;
using asio::ip::tcp;

class HttpsServerTest : public HttpServerTest {
 protected:
  HttpsServerTest() {
    folder_ =
        std::filesystem::temp_directory_path() / ("sallyport-tls-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    make_certificate("server");
    options_.tls = {file("server.crt"), file("server.key")};
  }
  ~HttpsServerTest() override { std::filesystem::remove_all(folder_); }

  std::string file(std::string const& name) const { return folder_ / name; }

  void make_certificate(std::string const& name) const {
    EVP_PKEY* const key = EVP_EC_gen("P-256");
    X509* const certificate = X509_new();
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                               reinterpret_cast<unsigned char const*>("localhost"), -1, -1, 0);
    X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
    X509_sign(certificate, key, EVP_sha256());
    auto* const crt = std::fopen(file(name + ".crt").c_str(), "w");
    PEM_write_X509(crt, certificate);
    std::fclose(crt);
    auto* const pem = std::fopen(file(name + ".key").c_str(), "w");
    PEM_write_PrivateKey(pem, key, nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(pem);
    X509_free(certificate);
    EVP_PKEY_free(key);
  }

  std::filesystem::path folder_;
};

// Blocking, like RawClient.
class TlsClient {
 public:
  TlsClient(std::uint16_t port, std::string const& authority, std::string_view protocols = "",
            int max_version = TLS1_3_VERSION) {
    context_.load_verify_file(authority);
    context_.set_verify_mode(ssl::verify_peer);
    SSL_CTX_set_max_proto_version(context_.native_handle(), max_version);
    SSL_set_alpn_protos(stream_.native_handle(),
                        reinterpret_cast<unsigned char const*>(protocols.data()),
                        static_cast<unsigned>(protocols.size()));
    stream_.next_layer().connect({asio::ip::address_v4::loopback(), port});
    SSL_set_max_proto_version(stream_.native_handle(), max_version);
    stream_.handshake(ssl::stream_base::client, error);
  }

  std::string ask(std::string_view bytes, std::string_view until) {
    asio::write(stream_, asio::buffer(bytes), error);
    return receive(until);
  }

  std::string receive(std::string_view until) {
    while (received_.find(until) == std::string::npos) {
      char piece[4096];
      auto const count = stream_.read_some(asio::buffer(piece), error);
      if (error) break;
      received_.append(piece, count);
    }
    auto const end = std::min(received_.find(until), received_.size() - until.size());
    auto const taken = received_.substr(0, end + until.size());
    received_.erase(0, end + until.size());
    return taken;
  }

  std::string protocol() {
    unsigned char const* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(stream_.native_handle(), &name, &size);
    return {reinterpret_cast<char const*>(name), size};
  }

  void write(std::string_view bytes) { asio::write(stream_, asio::buffer(bytes), error); }
  void shut_down() { stream_.shutdown(error); }
  void close() { stream_.next_layer().close(); }

  boost::system::error_code error;

 private:
  asio::io_context loop_;
  ssl::context context_{ssl::context::tls_client};
  ssl::stream<tcp::socket> stream_{loop_, context_};
  std::string received_;
};

TEST_F(HttpsServerTest, AnswersOverTls) {
  serve(echo);
  TlsClient client{server_->port(), file("server.crt"), "\x02h2\x08http/1.1"};
  ASSERT_FALSE(client.error) << client.error.message();

  for (int round = 0; round < 3; ++round) {
    EXPECT_THAT(client.ask(post("/x", "body"), "POST /x body"), testing::EndsWith("POST /x body"));
  }
  client.write(get("/1") + get("/2"));
  EXPECT_THAT(client.receive("GET /2 "), testing::HasSubstr("GET /1 "));
  EXPECT_EQ(client.protocol(), "http/1.1");
}

TEST_F(HttpsServerTest, TakesAndGivesLargeBodies) {
  serve(echo);
  TlsClient client{server_->port(), file("server.crt")};
  std::string const body(200'000, 'x');

  EXPECT_GT(client.ask(post("/", body + "end"), body + "end").size(), body.size());
}

TEST_F(HttpsServerTest, EndsTlsInOrder) {
  serve(echo);
  TlsClient client{server_->port(), file("server.crt")};

  client.ask(get("/", "Connection: close\r\n"), "GET / ");
  client.receive("more");

  EXPECT_EQ(client.error, asio::error::eof);  // and not stream_truncated
}

TEST_F(HttpsServerTest, RefusesOldVersionsAndForeignProtocols) {
  serve(echo);
  TlsClient old{server_->port(), file("server.crt"), "", TLS1_1_VERSION};
  TlsClient foreign{server_->port(), file("server.crt"), "\x02h2"};

  EXPECT_TRUE(old.error);
  EXPECT_TRUE(foreign.error);
  EXPECT_TRUE(soon([&] { return refused("tls_handshake") == 2; }));
}

TEST_F(HttpsServerTest, EndsAHandshakeThatDoesNotCome) {
  options_.limits.header_timeout = 200ms;
  serve(echo);
  auto silent = connect();
  auto garbage = connect();
  garbage.send(get("/"));

  EXPECT_TRUE(silent.is_closed());
  EXPECT_EQ(garbage.receive().status, 0);
}

Async<void> wait_until_gone(net::Exchange& exchange, std::atomic<int>& waiting,
                            std::atomic<int>& gone) {
  auto const executor = co_await asio::this_coro::executor;
  Timer timer{executor, 1h};
  exchange.watch_disconnect([&] {
    ++gone;
    timer.cancel();
  });
  auto sent = co_await exchange.begin({});
  ++waiting;
  co_await timer.async_wait(use_tuple);
  if (sent) (void)co_await exchange.end();
}

TEST_F(HttpsServerTest, NoticesADisconnectWhileItStreams) {
  std::atomic<int> waiting{0};
  std::atomic<int> gone{0};
  serve([&](net::Exchange& exchange) { return wait_until_gone(exchange, waiting, gone); });
  TlsClient closes{server_->port(), file("server.crt")};
  TlsClient drops{server_->port(), file("server.crt")};
  closes.write(get("/"));
  drops.write(get("/"));
  ASSERT_TRUE(soon([&] { return waiting == 2; }));

  drops.close();
  closes.shut_down();

  EXPECT_TRUE(soon([&] { return gone == 2; }));
  stop();
}

TEST_F(HttpsServerTest, StopsWithOpenConnections) {
  serve(echo);
  TlsClient idle{server_->port(), file("server.crt")};
  idle.ask(get("/"), "GET / ");
  auto handshaking = connect();

  EXPECT_LT(stop(500ms), 3s);
}

TEST_F(HttpsServerTest, TellsTheOperatorWhatToDoAboutBadFiles) {
  make_certificate("other");
  net::TlsOptions const cases[] = {
      {file("none.crt"), file("server.key")},
      {file("server.crt"), file("none.key")},
      {file("server.crt"), file("server.crt")},
      {file("server.crt"), file("other.key")},
  };
  for (auto const& tls : cases) {
    auto const made = net::HttpServer::create({.port = 0, .tls = tls}, loops_, metrics_, echo);
    ASSERT_FALSE(made) << tls.key_file;
    EXPECT_EQ(made.error().code, Errc::InvalidInput);
    EXPECT_THAT(made.error().message, testing::HasSubstr("Give ")) << made.error().message;
  }
}

}  // namespace
}  // namespace sallyport::test
