// Tokens that the operator wrote into the configuration.
#pragma once

#include "src/base/request_context.hpp"
#include "src/base/result.hpp"
#include "src/oauth/inbound_options.hpp"
#include "src/store/digest.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace sallyport::oauth {

class StaticTokens {
 public:
  // Fails with InvalidInput, for the operator: a token that cannot be sent, that two principals
  // share, or that has no principal.
  static Result<StaticTokens> create(std::vector<StaticToken> const& tokens);

  // SECURITY: compares digests, all of them and each in constant time, so the time taken tells
  // neither how long a token is nor how much of it was right.
  std::optional<Principal> find(std::string_view token) const;

 private:
  struct Entry {
    store::Sha256 digest;
    Principal principal;
  };

  std::vector<Entry> entries_;
};

}  // namespace sallyport::oauth
