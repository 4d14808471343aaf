// The cookie jars of all principals: one for each principal and backend, the longest unused
// forgotten first. From any thread.
#pragma once

#include "src/http/cookie_jar.hpp"
#include "src/http/message.hpp"
#include "src/url/url.hpp"

#include <array>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sallyport::tools {

class CookieJars {
 public:
  explicit CookieJars(std::size_t cookies_per_jar, std::size_t jars = 16'384)
      : cookies_{cookies_per_jar}, jars_{jars} {}

  // The Cookie field for that URL; empty: send none.
  std::string header_for(std::string_view owner, url::Url const& url, http::WallTime now);
  // Takes every Set-Cookie of an answer from that URL.
  void store(std::string_view owner, url::Url const& url, http::Headers const& headers,
             http::WallTime now);

 private:
  struct Owned {
    std::string owner;
    http::CookieJar jar;
  };
  struct Shard {
    std::mutex mutex;
    std::list<Owned> jars;  // last used first
    std::unordered_map<std::string, std::list<Owned>::iterator> by_owner;
  };

  Shard& shard_of(std::string_view owner);
  static http::CookieJar* find(Shard& shard, std::string_view owner);
  http::CookieJar& make(Shard& shard, std::string_view owner) const;

  std::size_t cookies_;
  std::size_t jars_;
  std::array<Shard, 16> shards_;
};

}  // namespace sallyport::tools
