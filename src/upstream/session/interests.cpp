#include "src/upstream/session/interests.hpp"

#include <utility>

namespace sallyport::upstream {

class Interests::Held {
 public:
  Held(std::shared_ptr<Interests> interests, std::string uri, std::string principal)
      : interests_{std::move(interests)}, uri_{std::move(uri)}, principal_{std::move(principal)} {}
  ~Held() { interests_->remove(uri_, principal_); }
  Held(Held const&) = delete;
  Held& operator=(Held const&) = delete;

 private:
  std::shared_ptr<Interests> interests_;
  std::string uri_;
  std::string principal_;
};

// SECURITY: a principal's wishes cost nobody else's.
bool Interests::is_full_for(std::string const& uri, std::string const& principal) const {
  auto const known = wanted_.find(uri);
  if (known == wanted_.end() && wanted_.size() >= limits_.uris) return true;
  if (principal.empty() || (known != wanted_.end() && known->second.contains(principal))) {
    return false;
  }
  auto const theirs = shares_.find(principal);
  return theirs != shares_.end() && theirs->second >= limits_.of_principal;
}

Result<mcp::Interest> Interests::add(std::string uri, std::string principal) {
  {
    std::lock_guard const lock{mutex_};
    if (is_full_for(uri, principal)) {
      return fail(Errc::LimitExceeded, "There are too many subscriptions to resources already.");
    }
    auto const [place, is_new] = wanted_.try_emplace(uri);
    if (++place->second[principal] == 1) ++shares_[principal];
    if (is_new && changed_) changed_();
  }
  return std::make_shared<Held const>(shared_from_this(), std::move(uri), std::move(principal));
}

void Interests::remove(std::string const& uri, std::string const& principal) {
  std::lock_guard const lock{mutex_};
  auto const place = wanted_.find(uri);
  auto const count = place->second.find(principal);
  if (--count->second > 0) return;
  place->second.erase(count);
  auto const share = shares_.find(principal);
  if (--share->second == 0) shares_.erase(share);
  if (!place->second.empty()) return;
  wanted_.erase(place);
  if (changed_) changed_();
}

std::set<std::string> Interests::uris() const {
  std::lock_guard const lock{mutex_};
  std::set<std::string> uris;
  for (auto const& [uri, principals] : wanted_) uris.insert(uris.end(), uri);
  return uris;
}

void Interests::close() {
  std::lock_guard const lock{mutex_};
  changed_ = nullptr;
}

}  // namespace sallyport::upstream
