#include "src/transport/trace.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::transport {
namespace {

bool is_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_zero(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == '0'; });
}

std::string value_or_empty(http::Headers const& headers, std::string_view name) {
  auto const* value = headers.find(name);
  return value == nullptr ? std::string{} : *value;
}

}  // namespace

// https://www.w3.org/TR/trace-context/#traceparent-header-field-values
bool is_traceparent(std::string_view text) noexcept {
  if (text.size() < 55 || text[2] != '-' || text[35] != '-' || text[52] != '-') return false;
  auto const version = text.substr(0, 2);
  auto const trace = text.substr(3, 32);
  auto const parent = text.substr(36, 16);
  if (!is_hex(version) || !is_hex(trace) || !is_hex(parent) || !is_hex(text.substr(53, 2))) {
    return false;
  }
  if (version == "ff" || is_zero(trace) || is_zero(parent)) return false;
  return version == "00" ? text.size() == 55 : text.size() == 55 || text[55] == '-';
}

TraceContext trace_of(http::Headers const& headers, TraceContext in_message) {
  auto parent = value_or_empty(headers, "traceparent");
  if (is_traceparent(parent)) {
    return {std::move(parent), value_or_empty(headers, "tracestate"),
            value_or_empty(headers, "baggage")};
  }
  if (!is_traceparent(in_message.traceparent)) {
    in_message.traceparent.clear();
    in_message.tracestate.clear();
  }
  return in_message;
}

}  // namespace sallyport::transport
