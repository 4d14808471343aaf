#include "src/pipeline/socket_url.hpp"

#include "src/base/assert.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace sallyport::pipeline {
namespace {

// All four are special schemes with the same rules, so what was one URL stays one.
url::Url with_scheme(url::Url const& url, std::string_view scheme) {
  auto renamed = url::Url::parse(std::string{scheme} + url.href().substr(url.scheme().size()));
  SP_ASSERT(renamed.has_value(), "http and ws URLs are written alike");
  return std::move(*renamed);
}

}  // namespace

url::Url as_socket_url(url::Url const& url) {
  if (url.scheme() == "http") return with_scheme(url, "ws");
  return url.scheme() == "https" ? with_scheme(url, "wss") : url;
}

url::Url as_http_url(url::Url const& url) {
  if (url.scheme() == "ws") return with_scheme(url, "http");
  return url.scheme() == "wss" ? with_scheme(url, "https") : url;
}

}  // namespace sallyport::pipeline
