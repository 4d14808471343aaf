// TLS as a client: what is trusted, and whether a server is who it should be. Inside egress.
#pragma once

#include "src/base/result.hpp"
#include "src/url/url.hpp"

#include <boost/asio/ssl/context.hpp>

#include <mutex>
#include <string>

namespace sallyport::egress {

// The file of trusted certificates: that of the settings, else the system's.
std::string trusted_certificates(std::string const& ca_file);

// From any thread.
class TlsClient {
 public:
  explicit TlsClient(std::string const& ca_file) : ca_file_{trusted_certificates(ca_file)} {}

  // TLS 1.2 or newer, certificates verified. The certificates are read once, at the first call.
  Result<boost::asio::ssl::context*> context();

 private:
  std::string ca_file_;
  std::once_flag once_;
  boost::asio::ssl::context context_{boost::asio::ssl::context::tls_client};
  boost::system::error_code problem_;
};

// Before the handshake: whom we want to speak to, and in HTTP/1.1.
void expect_server(SSL* tls, url::Url const& url);

// Why the handshake failed.
Error explain_tls(SSL* tls, boost::system::error_code const& error, std::string_view host);

}  // namespace sallyport::egress
