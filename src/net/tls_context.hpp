// The TLS settings of the server.
#pragma once

#include "src/base/result.hpp"
#include "src/net/http_server.hpp"

#include <boost/asio/ssl/context.hpp>

#include <memory>

namespace sallyport::net {

// TLS 1.2 or newer, ciphers with forward secrecy, HTTP/1.1 only. Null when `options` name no
// certificate; InvalidInput with a message for the operator when the files are unusable.
Result<std::unique_ptr<boost::asio::ssl::context>> make_tls_context(TlsOptions const& options);

}  // namespace sallyport::net
