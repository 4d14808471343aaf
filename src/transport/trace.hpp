// W3C trace context from the headers, else from the message.
#pragma once

#include "src/base/request_context.hpp"
#include "src/http/message.hpp"

namespace sallyport::transport {

// A `traceparent` of the wrong form is dropped, as the standard asks.
TraceContext trace_of(http::Headers const& headers, TraceContext in_message);

bool is_traceparent(std::string_view text) noexcept;

}  // namespace sallyport::transport
