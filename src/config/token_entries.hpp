// The entries of auth.tokens: a small table of their own, because they repeat.
#pragma once

#include "src/config/loader.hpp"

#include <span>
#include <string_view>

namespace YAML {  // NOLINT(readability-identifier-naming): not our name
class Node;
}

namespace sallyport::config {

struct TokenField {
  std::string_view key;
  std::string_view type;
  std::string_view help;
};

std::span<TokenField const> token_fields() noexcept;

// Reads the list into draft.settings.auth.tokens. SECURITY: no problem it notes holds a token.
void read_tokens(YAML::Node const& list, std::string const& file, Draft& draft);

}  // namespace sallyport::config
