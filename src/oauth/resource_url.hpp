// The few questions we have about URLs, and how the metadata of a resource is named (RFC 9728).
#pragma once

#include "src/http/message.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sallyport::oauth {

inline constexpr std::string_view kMetadataPath = "/.well-known/oauth-protected-resource";

struct SplitUrl {
  std::string origin;  // scheme and authority
  std::string path;    // without query; may be empty
};

// An absolute http or https URL without user, query or fragment, of printable ASCII; else nothing.
std::optional<SplitUrl> split_url(std::string_view url);

// https, or http to a loopback address: nobody on the way can change what it answers.
bool is_secure_url(std::string_view url);

// The URL of the resource that `request` is for, from its Host header: the resource itself or its
// metadata may have been asked for. Nothing when the header is missing, double or odd.
std::optional<std::string> resource_of(http::ServerRequest const& request);

// Where the metadata of `resource` is found (RFC 9728, section 3.1).
std::string metadata_url_of(std::string_view resource);

}  // namespace sallyport::oauth
