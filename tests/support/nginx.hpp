// A real nginx beside a test: on 127.0.0.1, with one plain port and, given a certificate, one for
// HTTP/1.1 and HTTP/2 behind TLS. Files come from root().
//
//   if (!Nginx::is_installed()) SP_NOT_TESTED("install nginx-light");
//   Nginx nginx{{.locations = "location /x { return 200 'hello'; }"}};
#pragma once

#include "tests/support/certificates.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/temp_folder.hpp"

#include <arpa/inet.h>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace sallyport::test {

struct NginxOptions {
  std::string locations;  // in nginx's own language
  std::optional<CertificateFiles> tls;
};

class Nginx {
 public:
  static bool is_installed() { return std::filesystem::exists(kProgram); }

  explicit Nginx(NginxOptions const& options)
      : port_{free_port()}, tls_port_{options.tls ? free_port() : std::uint16_t{0}} {
    std::filesystem::create_directories(folder_.file("root"));
    folder_.write("nginx.conf", configuration(options));
    process_ = std::make_unique<ChildProcess>(std::vector<std::string>{
        kProgram, "-p", folder_.path(), "-e", folder_.file("error.log"), "-c", "nginx.conf"});
    for (int left = 500; left > 0 && !answers(port_); --left) {
      std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
  }

  std::uint16_t port() const noexcept { return port_; }
  std::uint16_t tls_port() const noexcept { return tls_port_; }
  std::string url(std::string const& path, std::string const& host = "127.0.0.1") const {
    return "http://" + host + ":" + std::to_string(port_) + path;
  }
  std::string tls_url(std::string const& path, std::string const& host = "localhost") const {
    return "https://" + host + ":" + std::to_string(tls_port_) + path;
  }
  void put_file(std::string const& name, std::string_view contents) const {
    folder_.write("root/" + name, contents);
  }

 private:
  static constexpr auto const* kProgram = "/usr/sbin/nginx";

  // Free a moment ago; good enough, since the system does not give it out again soon.
  static std::uint16_t free_port() {
    int const socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto at = loopback(0);
    bind(socket, reinterpret_cast<sockaddr*>(&at), sizeof at);
    socklen_t size = sizeof at;
    getsockname(socket, reinterpret_cast<sockaddr*>(&at), &size);
    close(socket);
    return ntohs(at.sin_port);
  }

  static bool answers(std::uint16_t port) {
    int const socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto to = loopback(port);
    bool const connected = connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    close(socket);
    return connected;
  }

  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
  }

  std::string configuration(NginxOptions const& options) const {
    // Its workers would become somebody else, who may not read our folder.
    std::string const user = geteuid() == 0 ? "user root;\n" : "";
    auto text = user + "daemon off; worker_processes 1; pid nginx.pid;\n" +
                "events { worker_connections 2048; }\nhttp {\n access_log off;\n" +
                " client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3;\n" +
                " uwsgi_temp_path t4; scgi_temp_path t5; keepalive_requests 1000000;\n" +
                " default_type text/plain; sendfile on;\n server {\n  root root;\n" +
                "  listen 127.0.0.1:" + std::to_string(port_) + ";\n";
    if (options.tls) {
      text += "  listen 127.0.0.1:" + std::to_string(tls_port_) + " ssl http2;\n" +
              "  ssl_certificate " + options.tls->certificate + ";\n" + "  ssl_certificate_key " +
              options.tls->key + ";\n";
    }
    return text + options.locations + "\n }\n}\n";
  }

  TempFolder folder_;
  std::uint16_t port_;
  std::uint16_t tls_port_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace sallyport::test
