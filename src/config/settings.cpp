#include "src/config/settings.hpp"

namespace sallyport::config {

stream::Limits StreamSettings::limits() const {
  return {.streams_per_view = per_view,
          .views_per_principal = views_per_principal,
          .window = window_bytes,
          .view_bytes = view_bytes,
          .principal_bytes = principal_bytes,
          .message_bytes = message_bytes,
          .lease = lease};
}

tools::StreamOptions StreamSettings::options() const {
  return {.inline_bytes = inline_bytes,
          .event_bytes = event_bytes,
          .message_bytes = message_bytes,
          .total_bytes = total_bytes};
}

tools::HttpRequestOptions Settings::http_request_options() const {
  tools::HttpRequestOptions options{.backends = backends,
                                    .timeout = http_request.timeout,
                                    .max_timeout = http_request.max_timeout,
                                    .max_redirects = http_request.max_redirects,
                                    .cache_bytes_per_principal = http_request.cache_bytes,
                                    .cookies_per_principal = http_request.cookies,
                                    .user_agent = http_request.default_user_agent};
  for (auto const& text : http_request.absolute_urls) {
    if (auto url = url::Url::parse(text)) options.absolute.push_back(std::move(*url));
  }
  return options;
}

}  // namespace sallyport::config
