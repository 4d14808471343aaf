// What a server says with a refusal: `WWW-Authenticate` (RFC 9110, section 11.6.1; RFC 6750; RFC
// 9449; RFC 9728, section 5.1).
//
// SECURITY: foreign bytes. Whatever comes is read as far as it follows the grammar; the rest is
// left out, so a malformed field never hides what stands before it.
#pragma once

#include "src/http/message.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::oauth::upstream {

// One challenge of a field.
struct SchemeChallenge {
  std::string scheme;   // as written
  std::string token68;  // where it has that rather than parameters
  std::vector<std::pair<std::string, std::string>> parameters;

  // Names in any case. Of two with one name the first counts. Empty where there is none.
  std::string_view parameter(std::string_view name) const noexcept;
};

// At most 16 challenges of at most 32 parameters.
std::vector<SchemeChallenge> parse_challenges(std::string_view field);

// What matters to us of all the challenges of an answer.
struct ServerChallenge {
  std::string resource_metadata;  // not checked
  std::string scope;              // a scope list, or empty
  std::string error;              // an error's name, or empty
  bool offers_dpop{false};

  bool operator==(ServerChallenge const&) const = default;
};

// Of the schemes Bearer and DPoP; the first that has a parameter says what it is.
ServerChallenge read_challenge(http::Headers const& answer);

}  // namespace sallyport::oauth::upstream
