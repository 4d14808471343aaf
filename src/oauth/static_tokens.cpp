#include "src/oauth/static_tokens.hpp"

#include "src/oauth/bearer.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::oauth {

Result<StaticTokens> StaticTokens::create(std::vector<StaticToken> const& tokens) {
  StaticTokens made;
  for (auto const& token : tokens) {
    if (token.principal.empty()) {
      return fail(Errc::InvalidInput, "tokens: each token needs a principal");
    }
    // The messages name the principal, never the token.
    if (!is_bearer_token(token.token.reveal())) {
      return fail(Errc::InvalidInput,
                  fmt::format("tokens: the token of \"{}\" is empty or has characters that cannot "
                              "be sent",
                              token.principal));
    }
    if (made.find(token.token.reveal())) {
      return fail(Errc::InvalidInput,
                  fmt::format("tokens: the token of \"{}\" is there twice", token.principal));
    }
    made.entries_.push_back({store::sha256(token.token.reveal()),
                             {.id = token.principal, .scopes = token.scopes, .kind = token.kind}});
  }
  return made;
}

std::optional<Principal> StaticTokens::find(std::string_view token) const {
  auto const digest = store::sha256(token);
  Entry const* found = nullptr;
  for (auto const& entry : entries_) {
    if (store::equal_in_constant_time(entry.digest, digest)) found = &entry;
  }
  if (found == nullptr) return std::nullopt;
  return found->principal;
}

}  // namespace sallyport::oauth
