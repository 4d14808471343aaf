#include "src/oauth/jwk_set.hpp"

#include "src/json/parse.hpp"

#include <utility>

namespace sallyport::oauth {
namespace {

constexpr std::size_t kMaxCandidates = 8;

}  // namespace

Result<JwkSet> JwkSet::parse(std::string_view text) {
  if (text.size() > kMaxBytes) return fail(Errc::InvalidInput, "The key set is too large.");
  SP_TRY(auto const document, json::parse(text, {}, {.depth = 16}));
  auto const* object = document.if_object();
  auto const* keys = object == nullptr ? nullptr : json::find_array(*object, "keys");
  if (keys == nullptr) return fail(Errc::InvalidInput, "The document is not a JSON Web Key Set.");
  if (keys->size() > kMaxKeys) return fail(Errc::InvalidInput, "The key set has too many keys.");
  JwkSet set;
  for (auto const& entry : *keys) {
    auto const* jwk = entry.if_object();
    if (jwk == nullptr) continue;
    if (auto key = PublicKey::from_jwk(*jwk)) set.keys_.push_back(*std::move(key));
  }
  if (set.keys_.empty()) {
    return fail(Errc::InvalidInput, "The key set has no usable signature key.");
  }
  return set;
}

std::vector<PublicKey const*> JwkSet::candidates(Algorithm algorithm, std::string_view kid) const {
  std::vector<PublicKey const*> found;
  for (auto const& key : keys_) {
    if (found.size() == kMaxCandidates) break;
    if (key.suits(algorithm) && (kid.empty() || key.kid() == kid)) found.push_back(&key);
  }
  return found;
}

}  // namespace sallyport::oauth
