// Which addresses of a server's metadata we are willing to use.
#pragma once

#include "src/base/result.hpp"
#include "src/url/url.hpp"

#include <string_view>

namespace sallyport::oauth::upstream {

// https, or http to this very machine, without user and fragment. SECURITY: this keeps
// `javascript:` and `data:` out of the browser that is sent there, and tokens off open wires. Fails
// with CredentialUnavailable; the message names `what` ("authorization_endpoint"), never the URL.
Result<url::Url> secure_url(std::string_view text, std::string_view what);

bool is_loopback(url::Url const& address) noexcept;

// The URL as it may be shown and logged: without user, query and fragment, where secrets may be.
std::string shown(url::Url const& address);

}  // namespace sallyport::oauth::upstream
