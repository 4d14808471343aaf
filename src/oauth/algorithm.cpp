#include "src/oauth/algorithm.hpp"

#include <array>
#include <utility>

namespace sallyport::oauth {
namespace {

using Named = std::pair<std::string_view, Algorithm>;
constexpr std::array kNames = {Named{"RS256", Algorithm::Rs256}, Named{"RS384", Algorithm::Rs384},
                               Named{"RS512", Algorithm::Rs512}, Named{"PS256", Algorithm::Ps256},
                               Named{"PS384", Algorithm::Ps384}, Named{"PS512", Algorithm::Ps512},
                               Named{"ES256", Algorithm::Es256}, Named{"ES384", Algorithm::Es384},
                               Named{"ES512", Algorithm::Es512}, Named{"EdDSA", Algorithm::EdDsa}};

}  // namespace

std::optional<Algorithm> parse_algorithm(std::string_view name) noexcept {
  for (auto const& [known, algorithm] : kNames) {
    if (known == name) return algorithm;
  }
  return std::nullopt;
}

std::string_view name_of(Algorithm algorithm) noexcept {
  for (auto const& [name, known] : kNames) {
    if (known == algorithm) return name;
  }
  return {};
}

std::vector<std::string_view> algorithm_names() {
  std::vector<std::string_view> names;
  for (auto const& [name, algorithm] : kNames) names.push_back(name);
  return names;
}

KeyType key_type_of(Algorithm algorithm) noexcept {
  switch (algorithm) {
    case Algorithm::Rs256:
    case Algorithm::Rs384:
    case Algorithm::Rs512:
    case Algorithm::Ps256:
    case Algorithm::Ps384:
    case Algorithm::Ps512: return KeyType::Rsa;
    case Algorithm::Es256: return KeyType::P256;
    case Algorithm::Es384: return KeyType::P384;
    case Algorithm::Es512: return KeyType::P521;
    case Algorithm::EdDsa: break;
  }
  return KeyType::Ed25519;
}

char const* digest_name_of(Algorithm algorithm) noexcept {
  switch (algorithm) {
    case Algorithm::Rs256:
    case Algorithm::Ps256:
    case Algorithm::Es256: return "SHA256";
    case Algorithm::Rs384:
    case Algorithm::Ps384:
    case Algorithm::Es384: return "SHA384";
    case Algorithm::Rs512:
    case Algorithm::Ps512:
    case Algorithm::Es512: return "SHA512";
    case Algorithm::EdDsa: break;
  }
  return nullptr;
}

bool is_pss(Algorithm algorithm) noexcept {
  return algorithm == Algorithm::Ps256 || algorithm == Algorithm::Ps384 ||
         algorithm == Algorithm::Ps512;
}

}  // namespace sallyport::oauth
