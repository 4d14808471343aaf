// What is said when an exchange fails: sentences for the caller, libcurl's own words for the log.
// Inside egress.
#pragma once

#include "src/base/result.hpp"

#include <chrono>
#include <cstddef>
#include <curl/curl.h>
#include <string>
#include <string_view>

namespace sallyport::egress {

struct CurlFailure {
  CURLcode code{CURLE_OK};
  long system_error{0};   // CURLINFO_OS_ERRNO
  std::string_view text;  // libcurl's error buffer
  bool connecting{false};
  bool through_proxy{false};
};

Error explain(CurlFailure const& failure, std::string_view host);

// The words for an errno: "connection refused".
std::string why_not_connected(long system_error);
// Given what OpenSSL says of the certificate: "self-signed certificate".
std::string untrusted(std::string_view problem, std::string_view host);

// "10 MiB", "1500 bytes"
std::string spell_bytes(std::size_t count);
// "3 s", "250 ms"
std::string spell_time(std::chrono::milliseconds time);

}  // namespace sallyport::egress
