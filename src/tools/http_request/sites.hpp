// Where apps may send requests: the backends, and the absolute URLs that the operator allows.
//
// SECURITY: the one place that turns what an app wrote into a URL, and the one that says whether a
// URL (of a call or of a redirect) is within reach.
#pragma once

#include "src/credentials/injector.hpp"
#include "src/pipeline/limiter.hpp"
#include "src/tools/backend.hpp"

#include <deque>
#include <string>
#include <string_view>

namespace sallyport::tools {

// A backend with what is made of it once.
struct Site {
  Backend backend;
  bool is_backend{true};  // false: it stands for an entry of HttpRequestOptions::absolute
  credentials::Injector injector;
  pipeline::Limiter limiter;

  Site(Backend from, bool is_a_backend);

  bool holds(url::Url const& url) const;  // below `base`
  bool allows_path(url::Url const& url) const;
};

struct Target {
  Site* site{nullptr};
  url::Url url;
  bool relative{true};  // as the app wrote it
};

class Sites {
 public:
  explicit Sites(HttpRequestOptions const& options);

  // `backend` may be empty. Fails with InvalidInput, NotFound (no such backend) or PolicyDenied.
  Result<Target> resolve(std::string_view url, std::string_view backend);

  bool allows(url::Url const& url) const;

  // Where a URL that resolve() refused would have led, for the record of that; the text as it is
  // where that cannot be said.
  std::string meant(std::string_view url, std::string_view backend);

 private:
  Result<Site*> named(std::string_view backend);
  Result<Target> resolve_absolute(url::Url url, std::string_view backend);
  Result<Target> resolve_relative(std::string_view url, Site& site) const;

  std::deque<Site> sites_;  // backends first
};

// How an app that asked `target` sees `url`: relative to the backend where it asked so.
std::string seen_by_app(url::Url const& url, Target const& target);

}  // namespace sallyport::tools
