// The two names of a place that is reached by WebSocket. Private to this module.
#pragma once

#include "src/url/url.hpp"

namespace sallyport::pipeline {

// http becomes ws, https wss; others stay as they are.
url::Url as_socket_url(url::Url const& url);

// ws becomes http, wss https; others stay as they are.
url::Url as_http_url(url::Url const& url);

}  // namespace sallyport::pipeline
