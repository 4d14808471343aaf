#include "src/egress/tls_client.hpp"

#include "src/base/assert.hpp"
#include "src/egress/exchange_errors.hpp"
#include "src/egress/host_names.hpp"

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <curl/curl.h>
#include <string_view>

namespace sallyport::egress {
namespace {

namespace ssl = boost::asio::ssl;

constexpr std::string_view kHttp1 = "\x08http/1.1";

}  // namespace

// The bundle that libcurl was built for, so that both ways out trust the same.
std::string trusted_certificates(std::string const& ca_file) {
  if (!ca_file.empty()) return ca_file;
  auto const* const file = curl_version_info(CURLVERSION_NOW)->cainfo;
  return file == nullptr ? "/etc/ssl/certs/ca-certificates.crt" : file;
}

Result<ssl::context*> TlsClient::context() {
  std::call_once(once_, [this] {
    context_.load_verify_file(ca_file_, problem_);
    auto* const native = context_.native_handle();
    SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
    SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_verify(native, SSL_VERIFY_PEER, nullptr);
  });
  if (problem_) {
    return fail(Errc::UpstreamFailed, "The file of trusted certificates cannot be used.",
                fmt::format("{}: {}", ca_file_, problem_.message()));
  }
  return &context_;
}

void expect_server(SSL* tls, url::Url const& url) {
  auto* const verify = SSL_get0_param(tls);
  X509_VERIFY_PARAM_set_hostflags(verify, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  // SECURITY: without one of these two, any certificate of anyone would do.
  if (url.address()) {
    auto const text = url.address()->to_string();
    SP_ASSERT(X509_VERIFY_PARAM_set1_ip_asc(verify, text.c_str()) == 1, "an address is one");
  } else {
    std::string const name{without_last_dot(*url.host())};
    SP_ASSERT(SSL_set1_host(tls, name.c_str()) == 1, "a name can be asked for");
    SSL_set_tlsext_host_name(tls, name.c_str());
  }
  SSL_set_alpn_protos(tls, reinterpret_cast<unsigned char const*>(kHttp1.data()),
                      static_cast<unsigned>(kHttp1.size()));
}

Error explain_tls(SSL* tls, boost::system::error_code const& error, std::string_view host) {
  auto const verified = SSL_get_verify_result(tls);
  if (verified == X509_V_OK) {
    return fail(Errc::UpstreamFailed, fmt::format("The TLS handshake with {} failed.", host),
                error.message());
  }
  auto const* const problem = X509_verify_cert_error_string(verified);
  return fail(Errc::UpstreamFailed, untrusted(problem, host), problem);
}

}  // namespace sallyport::egress
