#include "src/tools/http_request/cookie_jars.hpp"

#include <algorithm>
#include <functional>

namespace sallyport::tools {
namespace {

// Refers to `url`.
http::CookiePlace place_of(url::Url const& url) {
  return {.host = url.host() ? std::string_view{*url.host()} : std::string_view{},
          .path = url.path(),
          .secure = url.scheme() == "https",
          .is_address = url.address().has_value()};
}

}  // namespace

CookieJars::Shard& CookieJars::shard_of(std::string_view owner) {
  return shards_[std::hash<std::string_view>{}(owner) % shards_.size()];
}

http::CookieJar* CookieJars::find(Shard& shard, std::string_view owner) {
  auto const found = shard.by_owner.find(std::string{owner});
  if (found == shard.by_owner.end()) return nullptr;
  shard.jars.splice(shard.jars.begin(), shard.jars, found->second);
  return &found->second->jar;
}

http::CookieJar& CookieJars::make(Shard& shard, std::string_view owner) const {
  if (auto* known = find(shard, owner)) return *known;
  if (shard.jars.size() >= std::max<std::size_t>(jars_ / shards_.size(), 1)) {
    shard.by_owner.erase(shard.jars.back().owner);
    shard.jars.pop_back();
  }
  shard.jars.push_front({std::string{owner}, http::CookieJar{{.total = cookies_}}});
  shard.by_owner.emplace(owner, shard.jars.begin());
  return shard.jars.front().jar;
}

std::string CookieJars::header_for(std::string_view owner, url::Url const& url,
                                   http::WallTime now) {
  auto& shard = shard_of(owner);
  std::scoped_lock const lock{shard.mutex};
  auto* jar = find(shard, owner);
  return jar == nullptr ? std::string{} : jar->header_for(place_of(url), now);
}

void CookieJars::store(std::string_view owner, url::Url const& url, http::Headers const& headers,
                       http::WallTime now) {
  if (headers.find("set-cookie") == nullptr) return;
  auto& shard = shard_of(owner);
  std::scoped_lock const lock{shard.mutex};
  auto& jar = make(shard, owner);
  for (auto const& field : headers) {
    if (http::equals_ignoring_case(field.name, "set-cookie")) {
      jar.store(field.value, place_of(url), now);
    }
  }
}

}  // namespace sallyport::tools
