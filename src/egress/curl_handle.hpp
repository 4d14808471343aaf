// An easy handle of libcurl with everything that is the same for all exchanges: where a connection
// may go and how. SECURITY: those settings are here and nowhere else. Inside egress.
#pragma once

#include "src/base/assert.hpp"
#include "src/egress/curl_connector.hpp"

#include <curl/curl.h>
#include <memory>
#include <string>
#include <vector>

namespace sallyport::egress {

struct FreeHandle {
  void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
};
using CurlHandle = std::unique_ptr<CURL, FreeHandle>;

template <class Value>
void set_option(CURL* handle, CURLoption option, Value value) {
  auto const code = curl_easy_setopt(handle, option, value);
  SP_ASSERT(code == CURLE_OK, "this libcurl knows the options we use");
}

// Makes handles, and keeps those that are free for the next exchange. Of one thread.
class CurlHandles {
 public:
  explicit CurlHandles(ConnectorOptions const& options);
  CurlHandles(CurlHandles const&) = delete;
  CurlHandles& operator=(CurlHandles const&) = delete;

  // `on_close` and its argument serve the connections, which outlive the handle.
  CurlHandle take(curl_closesocket_callback on_close, void* argument);
  void give_back(CurlHandle handle);

 private:
  static constexpr std::size_t kMostSpare = 256;

  CurlHandle make(curl_closesocket_callback on_close, void* argument);
  void set_proxy(CURL* handle);

  ConnectorOptions const& options_;
  std::string ca_file_;
  std::string proxy_address_;  // "proxy.example:3128:192.0.2.1": what its name means
  curl_slist proxy_resolve_{};
  std::vector<CurlHandle> spare_;
};

}  // namespace sallyport::egress
