// Reads what a frame says.
#pragma once

#include "src/json/value.hpp"

#include <string>
#include <string_view>

namespace sallyport::js {

// The member as text; empty where there is none.
inline std::string text_in(json::Object const& payload, std::string_view member) {
  auto const* const text = json::find_string(payload, member);
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

}  // namespace sallyport::js
