// URLs as they may be written down: what could be a secret is not in them.
//
// The user and the fragment go; values of the query are masked, except of parameters that the
// operator allows; so are segments of the path that look like tokens. Names of parameters stay.
#pragma once

#include "src/url/url.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::audit {

struct MaskRule {
  std::vector<std::string> shown_parameters;  // by name, in any case: "page", "limit"
};

// "https://api.example/v1/items?page=2&key=***"
std::string masked_url(url::Url const& url, MaskRule const& rule = {});

// For a URI that others read as it is, whatever its scheme: what remains of it is not rewritten.
std::string masked_uri(std::string_view uri, MaskRule const& rule = {});

// For a text that is no URL, which may hold anything: its scheme at most, "https:***".
std::string masked_text(std::string_view not_a_url);

// Long and random enough to be a key, or of a form that keys have (JWT, "ghp_…", UUIDs do not).
bool looks_like_a_secret(std::string_view segment);

}  // namespace sallyport::audit
