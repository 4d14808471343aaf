#include "src/egress/curl_handle.hpp"

#include "src/egress/tls_client.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::egress {
namespace {

std::string percent_decoded(CURL* handle, std::string const& text) {
  int size = 0;
  auto* const plain = curl_easy_unescape(handle, text.data(), static_cast<int>(text.size()), &size);
  std::string decoded{plain, static_cast<std::size_t>(size)};
  curl_free(plain);
  return decoded;
}

std::string meaning_of(ProxyOptions const& proxy) {
  auto text = fmt::format("{}:{}:", *proxy.url.host(), proxy.url.effective_port());
  for (auto const& address : proxy.addresses) {
    if (!text.ends_with(':')) text += ',';
    text += address.is_v4() ? address.to_string() : fmt::format("[{}]", address.to_string());
  }
  return text;
}

}  // namespace

CurlHandles::CurlHandles(ConnectorOptions const& options)
    : options_{options}, ca_file_{trusted_certificates(options.ca_file)} {
  if (options_.proxy) proxy_address_ = meaning_of(*options_.proxy);
  proxy_resolve_ = {proxy_address_.data(), nullptr};
}

CurlHandle CurlHandles::take(curl_closesocket_callback on_close, void* argument) {
  if (spare_.empty()) return make(on_close, argument);
  auto handle = std::move(spare_.back());
  spare_.pop_back();
  return handle;
}

// Every option that an exchange sets is set by each one; here only what would point to memory of
// an exchange that is gone is taken out.
void CurlHandles::give_back(CurlHandle handle) {
  if (spare_.size() >= kMostSpare) return;
  set_option(handle.get(), CURLOPT_HTTPHEADER, static_cast<curl_slist*>(nullptr));
  set_option(handle.get(), CURLOPT_CONNECT_TO, static_cast<curl_slist*>(nullptr));
  set_option(handle.get(), CURLOPT_POSTFIELDS, static_cast<char*>(nullptr));
  set_option(handle.get(), CURLOPT_ERRORBUFFER, static_cast<char*>(nullptr));
  spare_.push_back(std::move(handle));
}

CurlHandle CurlHandles::make(curl_closesocket_callback on_close, void* argument) {
  CurlHandle owned{curl_easy_init()};
  auto* const handle = owned.get();
  SP_ASSERT(handle != nullptr, "libcurl gives a handle");
  set_option(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  set_option(handle, CURLOPT_FOLLOWLOCATION, 0L);
  set_option(handle, CURLOPT_NETRC, long{CURL_NETRC_IGNORED});
  set_option(handle, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  set_option(handle, CURLOPT_PATH_AS_IS, 1L);
  set_option(handle, CURLOPT_HTTP09_ALLOWED, 0L);
  set_option(handle, CURLOPT_HTTP_VERSION, long{CURL_HTTP_VERSION_2TLS});
  set_option(handle, CURLOPT_SSL_VERIFYPEER, 1L);
  set_option(handle, CURLOPT_SSL_VERIFYHOST, 2L);
  set_option(handle, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  // With an empty folder beside it: else libcurl keeps no parsed certificates between connections.
  set_option(handle, CURLOPT_CAINFO, ca_file_.c_str());
  set_option(handle, CURLOPT_CAPATH, static_cast<char const*>(nullptr));
  set_option(handle, CURLOPT_NOSIGNAL, 1L);
  // Who is gone without a word is noticed, also where silence is allowed (event streams).
  set_option(handle, CURLOPT_TCP_KEEPALIVE, 1L);
  set_option(handle, CURLOPT_TCP_NODELAY, 1L);
  set_option(handle, CURLOPT_MAXAGE_CONN, static_cast<long>(options_.idle_connection.count()));
  set_option(handle, CURLOPT_CLOSESOCKETFUNCTION, on_close);
  set_option(handle, CURLOPT_CLOSESOCKETDATA, argument);
  set_proxy(handle);
  return owned;
}

void CurlHandles::set_proxy(CURL* handle) {
  // SECURITY: nothing of what the environment says about proxies.
  set_option(handle, CURLOPT_NOPROXY, "");
  if (!options_.proxy) {
    set_option(handle, CURLOPT_PROXY, "");
    return;
  }
  auto const& url = options_.proxy->url;
  set_option(handle, CURLOPT_PROXY,
             fmt::format("{}://{}:{}", url.scheme(), *url.host(), url.effective_port()).c_str());
  set_option(handle, CURLOPT_HTTPPROXYTUNNEL, 1L);
  set_option(handle, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set_option(handle, CURLOPT_PROXY_SSL_VERIFYPEER, 1L);
  set_option(handle, CURLOPT_PROXY_SSL_VERIFYHOST, 2L);
  set_option(handle, CURLOPT_PROXY_CAINFO, ca_file_.c_str());
  set_option(handle, CURLOPT_PROXY_CAPATH, static_cast<char const*>(nullptr));
  if (!url.address()) set_option(handle, CURLOPT_RESOLVE, &proxy_resolve_);
  if (url.has_credentials()) {
    set_option(handle, CURLOPT_PROXYUSERNAME, percent_decoded(handle, url.username()).c_str());
    set_option(handle, CURLOPT_PROXYPASSWORD, percent_decoded(handle, url.password()).c_str());
  }
}

}  // namespace sallyport::egress
