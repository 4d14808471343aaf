// What a policy says beside `allow`: `deny`, `reason`, `reasons`.
#pragma once

#include "src/rego/value.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::policy {

// In this order; each may be a text, or a list or set of texts.
inline constexpr std::array<std::string_view, 3> kExplanations{"deny", "reason", "reasons"};

// Adds every text in it, up to a number that a reader still wants to see.
void add_texts(rego::Value value, std::vector<std::string>& reasons);

// `deny` as policies write it: messages, or a truth. A policy that allows and denies denies.
bool says_no(rego::Value deny);

}  // namespace sallyport::policy
