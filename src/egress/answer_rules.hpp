// What holds for the head of every answer, whoever read it.
#pragma once

#include "src/egress/exchange.hpp"

#include <cstddef>
#include <optional>
#include <string_view>

namespace sallyport::egress {

// SECURITY: fields are looked for one by one, also one among all the others.
inline constexpr std::size_t kMostFields = 1000;

// Whether a field concerned only the connection, and is not handed on.
bool is_hop_by_hop(std::string_view name) noexcept;

std::size_t count_encodings(http::Headers const& headers);

// Not of a redirect: nobody reads its body.
bool is_event_stream(ResponseHead const& head);

// SIZE_MAX where it is too large for a number.
std::optional<std::size_t> content_length(http::Headers const& headers);

// The sentences that go with it.
Error too_many_fields();
Error head_too_large(std::size_t limit);
Error answer_too_large(std::size_t limit);
Error refused_event_stream();

}  // namespace sallyport::egress
