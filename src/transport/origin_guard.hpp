// Refuses requests that a web page made without its user knowing (DNS rebinding, cross-site calls).
//
// A browser always tells the truth about Host and Origin, so both are checked on every route.
#pragma once

#include "src/http/message.hpp"
#include "src/transport/options.hpp"

#include <optional>
#include <string>

namespace sallyport::transport {

class OriginGuard {
 public:
  explicit OriginGuard(HttpOptions const& options) : options_{options} {}

  // The answer for a request that may not pass (403); nullopt for one that may.
  std::optional<http::Response> check(http::ServerRequest const& request) const;

  // Whether pages of that origin may read our answers (CORS).
  bool is_allowed_origin(http::ServerRequest const& request) const;

 private:
  bool is_allowed_host(std::string const& host) const;

  HttpOptions const& options_;
};

}  // namespace sallyport::transport
