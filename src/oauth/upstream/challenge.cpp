#include "src/oauth/upstream/challenge.hpp"

#include "src/http/chars.hpp"
#include "src/oauth/upstream/scopes.hpp"

#include <algorithm>
#include <optional>

namespace sallyport::oauth::upstream {
namespace {

constexpr std::size_t kLongestField = 16UL * 1024;
constexpr std::size_t kMostChallenges = 16;
constexpr std::size_t kMostParameters = 32;
constexpr std::size_t kLongestError = 64;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool is_token68_char(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         std::string_view{"-._~+/"}.find(c) != std::string_view::npos;
}

class ChallengeParser {
 public:
  explicit ChallengeParser(std::string_view text) : rest_{text} {}

  std::vector<SchemeChallenge> parse() {
    while (next_element()) {
      auto const name = token();
      if (name.empty() || !add(name)) break;
    }
    return std::move(challenges_);
  }

 private:
  // Past blanks and commas, which may stand alone in a list; whether anything follows.
  bool next_element() {
    while (!rest_.empty() && (is_blank(rest_.front()) || rest_.front() == ',')) skip(1);
    return !rest_.empty();
  }

  // A name is the next parameter of the challenge at hand, or the scheme of a new one.
  bool add(std::string_view name) {
    auto const after = rest_;
    if (!challenges_.empty() && skip_equals()) return add_parameter(name);
    rest_ = after;
    return add_scheme(name);
  }

  bool add_scheme(std::string_view name) {
    bool const ends = rest_.empty() || is_blank(rest_.front()) || rest_.front() == ',';
    if (!ends || challenges_.size() == kMostChallenges) return false;
    challenges_.push_back({.scheme = std::string{name}});
    if (!rest_.empty() && is_blank(rest_.front())) take_token68();
    return true;
  }

  bool add_parameter(std::string_view name) {
    auto const value = parameter_value();
    auto& challenge = challenges_.back();
    if (!value || !challenge.token68.empty() || challenge.parameters.size() == kMostParameters) {
      return false;
    }
    challenge.parameters.emplace_back(std::string{name}, *value);
    skip_blanks();
    return rest_.empty() || rest_.front() == ',';
  }

  // Only where nothing but a comma follows it: else it is a parameter's name.
  void take_token68() {
    skip_blanks();
    auto const* const begin = rest_.data();
    auto const after = rest_;
    while (!rest_.empty() && is_token68_char(rest_.front())) skip(1);
    auto const letters = static_cast<std::size_t>(rest_.data() - begin);
    while (!rest_.empty() && rest_.front() == '=') skip(1);
    auto const size = static_cast<std::size_t>(rest_.data() - begin);
    skip_blanks();
    if (letters > 0 && (rest_.empty() || rest_.front() == ',')) {
      challenges_.back().token68 = after.substr(0, size);
    } else {
      rest_ = after;
    }
  }

  std::string_view token() {
    auto const* const end = std::ranges::find_if_not(rest_, http::is_token_char);
    auto const name = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
    skip(name.size());
    return name;
  }

  bool skip_equals() {
    skip_blanks();
    if (rest_.empty() || rest_.front() != '=') return false;
    skip(1);
    skip_blanks();
    return true;
  }

  std::optional<std::string> parameter_value() {
    if (!rest_.empty() && rest_.front() == '"') return quoted();
    auto const value = token();
    return value.empty() ? std::nullopt : std::optional<std::string>{value};
  }

  std::optional<std::string> quoted() {
    std::string value;
    for (std::size_t at = 1; at < rest_.size(); ++at) {
      if (rest_[at] == '"') {
        skip(at + 1);
        return value;
      }
      if (rest_[at] == '\\') ++at;
      if (at == rest_.size() || !http::is_field_value_char(rest_[at])) break;
      value += rest_[at];
    }
    return std::nullopt;  // it does not end
  }

  void skip_blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) skip(1);
  }
  void skip(std::size_t count) { rest_.remove_prefix(count); }

  std::string_view rest_;
  std::vector<SchemeChallenge> challenges_;
};

bool is_error_name(std::string_view text) {
  return http::is_token(text) && text.size() <= kLongestError;
}

void take(ServerChallenge& into, SchemeChallenge const& challenge) {
  auto const fill = [&](std::string& field, std::string_view name) {
    if (field.empty()) field = challenge.parameter(name);
  };
  fill(into.resource_metadata, "resource_metadata");
  fill(into.scope, "scope");
  fill(into.error, "error");
}

}  // namespace

std::string_view SchemeChallenge::parameter(std::string_view name) const noexcept {
  for (auto const& [key, value] : parameters) {
    if (http::equals_ignoring_case(key, name)) return value;
  }
  return {};
}

std::vector<SchemeChallenge> parse_challenges(std::string_view field) {
  if (field.size() > kLongestField) return {};
  return ChallengeParser{field}.parse();
}

ServerChallenge read_challenge(http::Headers const& answer) {
  ServerChallenge found;
  for (auto const& field : answer) {
    if (!http::equals_ignoring_case(field.name, "WWW-Authenticate")) continue;
    for (auto const& challenge : parse_challenges(field.value)) {
      bool const dpop = http::equals_ignoring_case(challenge.scheme, "DPoP");
      found.offers_dpop |= dpop;
      if (dpop || http::equals_ignoring_case(challenge.scheme, "Bearer")) take(found, challenge);
    }
  }
  // SECURITY: both go on: into an authorization URL, into messages.
  if (!is_scope_list(found.scope)) found.scope.clear();
  if (!is_error_name(found.error)) found.error.clear();
  return found;
}

}  // namespace sallyport::oauth::upstream
