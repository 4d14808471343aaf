// An origin that does exactly what a test says, byte by byte: late, endless, broken, lying. Plain
// or behind TLS, on 127.0.0.1.
//
//   Origin origin{Origin::answering(Origin::ok("hello"))};          // every request, keep-alive
//   Origin origin{[](Origin::Connection& peer) {                    // or one connection by hand
//     peer.receive_request();
//     peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
//     peer.reset();
//   }};
#pragma once

#include "tests/support/certificates.hpp"

#include <openssl/ssl.h>

#include <arpa/inet.h>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace sallyport::test {

class Origin {
 public:
  // One connection of a client. Its script runs in a thread of its own; every call ends at once
  // when the origin is destroyed.
  class Connection {
   public:
    // The whole next request as text; empty when the client is gone.
    std::string receive_request() {
      std::size_t head = 0;
      while ((head = received_.find("\r\n\r\n")) == std::string::npos) {
        if (!receive_some()) return {};
      }
      auto const whole = head + 4 + body_size(received_.substr(0, head));
      while (received_.size() < whole) {
        if (!receive_some()) return {};
      }
      auto request = received_.substr(0, whole);
      received_.erase(0, whole);
      ++origin_.requests_;
      return request;
    }

    // So many bytes that are no request, or less when the client is gone.
    std::string receive(std::size_t size) {
      while (received_.size() < size && receive_some()) {
      }
      auto bytes = received_.substr(0, size);
      received_.erase(0, size);
      return bytes;
    }

    // False when the client is gone.
    bool send(std::string_view bytes) {
      while (!bytes.empty()) {
        auto const count = tls_
                               ? SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()))
                               : ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
      }
      return true;
    }

    // False when the origin is being destroyed.
    bool pause(std::chrono::milliseconds time) {
      std::unique_lock lock{origin_.mutex_};
      return !origin_.changed_.wait_for(lock, time, [this] { return origin_.stops_; });
    }

    bool trickle(std::string_view bytes, std::chrono::milliseconds between) {
      for (auto const& byte : bytes) {
        if (!send({&byte, 1}) || !pause(between)) return false;
      }
      return true;
    }

    // Until the client hangs up.
    void wait_for_end() {
      while (receive_some()) received_.clear();
    }

    // Closes with RST instead of FIN.
    void reset() {
      linger const at_once{.l_onoff = 1, .l_linger = 0};
      setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
      resets_ = true;
    }

    int socket() const noexcept { return socket_; }

   private:
    friend class Origin;
    struct Free {
      void operator()(SSL* tls) const { SSL_free(tls); }
    };

    Connection(Origin& origin, int socket) : origin_{origin}, socket_{socket} {}

    bool shake_hands(SSL_CTX* context) {
      tls_.reset(SSL_new(context));
      SSL_set_fd(tls_.get(), socket_);
      return SSL_accept(tls_.get()) == 1;
    }

    bool receive_some() {
      char piece[16384];
      auto const count = tls_ ? SSL_read(tls_.get(), piece, sizeof piece)
                              : ::recv(socket_, piece, sizeof piece, 0);
      if (count <= 0) return false;
      received_.append(piece, static_cast<std::size_t>(count));
      return true;
    }

    static std::size_t body_size(std::string const& head) {
      auto const at = head.find("Content-Length: ");
      return at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
    }

    Origin& origin_;
    int socket_;
    bool resets_{false};
    std::string received_;
    std::unique_ptr<SSL, Free> tls_;
  };

  using Script = std::function<void(Connection&)>;

  explicit Origin(Script script, std::optional<CertificateFiles> const& tls = {},
                  std::string_view address = "127.0.0.1", std::uint16_t port = 0)
      : script_{std::move(script)} {
    if (tls) {
      context_.reset(SSL_CTX_new(TLS_server_method()));
      SSL_CTX_use_certificate_file(context_.get(), tls->certificate.c_str(), SSL_FILETYPE_PEM);
      SSL_CTX_use_PrivateKey_file(context_.get(), tls->key.c_str(), SSL_FILETYPE_PEM);
      std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes without MSG_NOSIGNAL
    }
    listen(address, port);
    acceptor_ = std::thread{[this] { accept(); }};
  }
  ~Origin() {
    {
      std::lock_guard const lock{mutex_};
      stops_ = true;
      ::shutdown(listener_, SHUT_RDWR);
      for (auto const& serving : serving_) {
        if (serving.connection) ::shutdown(serving.connection->socket_, SHUT_RDWR);
      }
    }
    changed_.notify_all();
    acceptor_.join();
    for (auto& serving : serving_) serving.thread.join();
    ::close(listener_);
  }
  Origin(Origin const&) = delete;
  Origin& operator=(Origin const&) = delete;

  std::uint16_t port() const noexcept { return port_; }
  std::string url(std::string_view path = "/", std::string_view host = "127.0.0.1") const {
    return (context_ ? "https://" : "http://") + std::string{host} + ":" + std::to_string(port_) +
           std::string{path};
  }
  std::size_t connections() const noexcept { return connections_; }
  std::size_t requests() const noexcept { return requests_; }

  static std::string ok(std::string_view body, std::string_view headers = {}) {
    return "HTTP/1.1 200 OK\r\n" + std::string{headers} +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string{body};
  }

  // The same bytes for every request, and the connection stays open.
  static Script answering(std::string response) {
    return [response = std::move(response)](Connection& peer) {
      while (!peer.receive_request().empty() && peer.send(response)) {
      }
    };
  }
  // A response made from each request.
  static Script answering(std::function<std::string(std::string const&)> answer) {
    return [answer = std::move(answer)](Connection& peer) {
      for (std::string request; !(request = peer.receive_request()).empty();) {
        if (!peer.send(answer(request))) return;
      }
    };
  }
  // One request, these bytes, and the connection closes.
  static Script answering_once(std::string response) {
    return [response = std::move(response)](Connection& peer) {
      if (!peer.receive_request().empty()) peer.send(response);
    };
  }
  // Takes the request and never answers.
  static Script silent() {
    return [](Connection& peer) { peer.wait_for_end(); };
  }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  struct Serving {
    std::unique_ptr<Connection> connection;
    std::thread thread;
  };

  void listen(std::string_view address, std::uint16_t port) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int const yes = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    inet_pton(AF_INET, std::string{address}.c_str(), &to.sin_addr);
    bind(listener_, reinterpret_cast<sockaddr*>(&to), sizeof to);
    ::listen(listener_, 512);
    socklen_t size = sizeof to;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&to), &size);
    port_ = ntohs(to.sin_port);
  }

  void accept() {
    while (true) {
      int const socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (socket < 0) return;
      int const yes = 1;
      setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
      join_ended();
      std::lock_guard const lock{mutex_};
      if (stops_) {
        ::close(socket);
        return;
      }
      ++connections_;
      auto& serving = serving_.emplace_back();
      serving.connection.reset(new Connection{*this, socket});
      serving.thread = std::thread{[this, &serving] { serve(serving); }};
    }
  }

  void serve(Serving& serving) {
    auto& connection = *serving.connection;
    if (!context_ || connection.shake_hands(context_.get())) script_(connection);
    std::lock_guard const lock{mutex_};
    if (connection.tls_ && !connection.resets_) SSL_shutdown(connection.tls_.get());
    ::close(connection.socket_);
    serving.connection.reset();
  }

  void join_ended() {
    std::list<Serving> ended;
    {
      std::lock_guard const lock{mutex_};
      for (auto each = serving_.begin(); each != serving_.end();) {
        auto const next = std::next(each);
        if (!each->connection) ended.splice(ended.end(), serving_, each);
        each = next;
      }
    }
    for (auto& serving : ended) serving.thread.join();
  }

  Script script_;
  std::unique_ptr<SSL_CTX, Free> context_;
  int listener_{-1};
  std::uint16_t port_{0};
  std::atomic<std::size_t> connections_{0};
  std::atomic<std::size_t> requests_{0};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stops_{false};
  std::list<Serving> serving_;
  std::thread acceptor_;
};

// As `open` of gateway.hpp takes it.
inline std::string place(Origin const& origin) {
  return "127.0.0.1:" + std::to_string(origin.port());
}

}  // namespace sallyport::test
