// The Cache-Control field (RFC 9111, section 5.2) of a request or of an answer.
#pragma once

#include "src/http/message.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::http {

struct CacheControl {
  bool present{false};
  bool no_store{false};
  bool no_cache{false};  // only without field names
  std::vector<std::string> no_cache_fields;
  bool must_revalidate{false};
  bool must_understand{false};
  bool is_public{false};
  bool is_private{false};
  bool only_if_cached{false};
  // A value that cannot be read counts as 0, the smallest of several as the one.
  std::optional<std::chrono::seconds> max_age;
  std::optional<std::chrono::seconds> min_fresh;
  std::optional<std::chrono::seconds> max_stale;  // without a value in the field: the largest

  static CacheControl of(Headers const& headers);
};

// All values of that name, joined with ", ". Without a value: there is none.
std::optional<std::string> combined_value(Headers const& headers, std::string_view name);

// The members of a comma-separated list, trimmed, without empty ones. Quoted commas do not count.
std::vector<std::string_view> list_members(std::string_view text);

// A number of seconds; too large a one counts as 2^31. Without a value: it is none.
std::optional<std::chrono::seconds> parse_delta_seconds(std::string_view text);

}  // namespace sallyport::http
