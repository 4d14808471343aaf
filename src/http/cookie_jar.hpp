// The cookies of one client: takes Set-Cookie fields, gives Cookie fields (RFC 6265bis, 5.7, 5.8).
//
// A plain value without a lock or a clock. SameSite is kept but decides nothing: there is no page
// here from whose site a request could differ.
#pragma once

#include "src/http/cookie.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::http {

// Of the request that a cookie came with, or goes with.
struct CookiePlace {
  std::string_view host;  // in lower case, as it stands in DNS
  std::string_view path;  // without the query
  bool secure{false};
  bool is_address{false};  // the host is an IP address
};

struct CookieLimits {
  std::size_t per_domain{50};
  std::size_t total{512};
};

class CookieJar {
 public:
  explicit CookieJar(CookieLimits limits = {}) : limits_{limits} {}

  // Takes, replaces or deletes a cookie as the field says; false when the field is not obeyed.
  bool store(std::string_view set_cookie, CookiePlace const& from, WallTime now);

  // The value of the Cookie field, longest paths first, then the oldest; empty: send none.
  std::string header_for(CookiePlace const& place, WallTime now);

  std::size_t size() const noexcept { return cookies_.size(); }

 private:
  struct Kept {
    SetCookie cookie;  // domain and path are set
    bool host_only{true};
    std::uint64_t created{0};  // in the order of creation
    std::uint64_t used{0};     // in the order of use
  };

  static bool reaches(Kept const& kept, CookiePlace const& place);
  bool would_hide_secure(Kept const& kept, CookiePlace const& from) const;
  void drop_expired(WallTime now);
  void keep_within_limits(std::string_view domain);
  template <class Among>
  void evict_one(Among among);

  CookieLimits limits_;
  std::uint64_t clock_{0};
  std::vector<Kept> cookies_;
};

}  // namespace sallyport::http
