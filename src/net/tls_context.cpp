#include "src/net/tls_context.hpp"

#include <boost/asio/ssl/context.hpp>
#include <fmt/format.h>
#include <openssl/ssl.h>

#include <string_view>

namespace sallyport::net {
namespace {

namespace ssl = boost::asio::ssl;

constexpr char kCiphers[] = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr std::string_view kProtocol = "\x08http/1.1";

// RFC 7301: a client that offers protocols, but not ours, is told so.
int select_protocol(SSL*, unsigned char const** out, unsigned char* out_size,
                    unsigned char const* offered, unsigned int offered_size, void*) {
  auto const* ours = reinterpret_cast<unsigned char const*>(kProtocol.data());
  auto const found =
      SSL_select_next_proto(const_cast<unsigned char**>(out), out_size, ours,
                            static_cast<unsigned>(kProtocol.size()), offered, offered_size);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

Error unusable(std::string_view what, std::string const& file,
               boost::system::error_code const& error) {
  return fail(Errc::InvalidInput,
              fmt::format("The TLS {} \"{}\" cannot be used: {}. Give a PEM file that the server "
                          "can read.",
                          what, file, error.message()));
}

}  // namespace

Result<std::unique_ptr<ssl::context>> make_tls_context(TlsOptions const& options) {
  if (options.certificate_file.empty()) return std::unique_ptr<ssl::context>{};
  auto context = std::make_unique<ssl::context>(ssl::context::tls_server);
  boost::system::error_code error;
  context->use_certificate_chain_file(options.certificate_file, error);
  if (error) return unusable("certificate", options.certificate_file, error);
  context->use_private_key_file(options.key_file, ssl::context::pem, error);
  if (error) return unusable("key", options.key_file, error);
  auto* const native = context->native_handle();
  if (SSL_CTX_check_private_key(native) != 1) {
    return fail(Errc::InvalidInput, fmt::format("The TLS key \"{}\" does not belong to the "
                                                "certificate \"{}\". Give the pair that was made "
                                                "together.",
                                                options.key_file, options.certificate_file));
  }
  SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(native, kCiphers);
  SSL_CTX_set_options(
      native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(native, select_protocol, nullptr);
  return context;
}

}  // namespace sallyport::net
