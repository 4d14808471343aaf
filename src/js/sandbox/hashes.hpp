// Digests under the names of Web Crypto.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::js::sandbox {

// Nothing for a name that is not known.
std::optional<std::string> digest(std::string_view algorithm, std::string_view data);
std::optional<std::string> hmac(std::string_view algorithm, std::string_view key,
                                std::string_view data);

// Lets OpenSSL load what it loads at the first use.
void warm_hashes();

}  // namespace sallyport::js::sandbox
