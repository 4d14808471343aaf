#include "src/egress/answer_rules.hpp"

#include "src/egress/exchange_errors.hpp"
#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace sallyport::egress {
namespace {

constexpr std::array<std::string_view, 5> kHopByHop{"Transfer-Encoding", "Connection", "Keep-Alive",
                                                    "Proxy-Connection", "Trailer"};

}  // namespace

bool is_hop_by_hop(std::string_view name) noexcept {
  return std::ranges::any_of(
      kHopByHop, [name](std::string_view hop) { return http::equals_ignoring_case(name, hop); });
}

std::size_t count_encodings(http::Headers const& headers) {
  std::size_t count = 0;
  for (auto const& [name, value] : headers) {
    if (!http::equals_ignoring_case(name, "Content-Encoding")) continue;
    for (std::string_view rest = value; !rest.empty();) {
      auto const comma = std::min(rest.find(','), rest.size());
      auto const one = http::trimmed(rest.substr(0, comma));
      if (!one.empty() && !http::equals_ignoring_case(one, "identity")) ++count;
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
  }
  return count;
}

bool is_event_stream(ResponseHead const& head) {
  auto const* const type = head.headers.find("Content-Type");
  bool const redirects = head.status >= 300 && head.status < 400;
  if (type == nullptr || redirects) return false;
  auto const essence = std::string_view{*type}.substr(0, type->find(';'));
  return http::equals_ignoring_case(http::trimmed(essence), "text/event-stream");
}

std::optional<std::size_t> content_length(http::Headers const& headers) {
  auto const* const text = headers.find("Content-Length");
  if (text == nullptr) return std::nullopt;
  std::size_t length = 0;
  auto const [end, error] = std::from_chars(text->data(), text->data() + text->size(), length);
  if (error == std::errc::result_out_of_range) return SIZE_MAX;
  if (error != std::errc{}) return std::nullopt;
  return length;
}

Error too_many_fields() {
  return fail(Errc::LimitExceeded,
              fmt::format("The head of the answer has more than {} fields.", kMostFields));
}

Error head_too_large(std::size_t limit) {
  return fail(
      Errc::LimitExceeded,
      fmt::format("The head of the answer is larger than the limit of {}.", spell_bytes(limit)));
}

Error answer_too_large(std::size_t limit) {
  return fail(Errc::LimitExceeded,
              fmt::format("The answer is larger than the limit of {}.", spell_bytes(limit)));
}

Error refused_event_stream() {
  return fail(Errc::UpstreamFailed,
              "The address answers with an event stream (text/event-stream), which goes on without "
              "an end; those are not read.");
}

}  // namespace sallyport::egress
