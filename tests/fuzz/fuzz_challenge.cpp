// The WWW-Authenticate fields of a refusal, one per line. Whatever comes is read as far as it
// follows the grammar; what is handed on can stand in a URL, a header and a message.
#include "src/base/assert.hpp"
#include "src/http/chars.hpp"
#include "src/oauth/upstream/challenge.hpp"
#include "src/oauth/upstream/scopes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace http = sallyport::http;
namespace upstream = sallyport::oauth::upstream;

namespace {

void check(std::string_view field) {
  auto const challenges = upstream::parse_challenges(field);
  SP_ASSERT(challenges.size() <= 16, "challenges have bounds");
  for (auto const& challenge : challenges) {
    SP_ASSERT(http::is_token(challenge.scheme), "a scheme is a token");
    SP_ASSERT(challenge.token68.empty() || challenge.parameters.empty(), "one or the other");
    SP_ASSERT(challenge.parameters.size() <= 32, "parameters have bounds");
    for (auto const& [name, value] : challenge.parameters) {
      SP_ASSERT(http::is_token(name), "a name is a token");
      SP_ASSERT(http::is_field_value(value), "a value has no control characters");
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view rest{reinterpret_cast<char const*>(data), size};
  http::Headers answer;
  while (!rest.empty()) {
    auto const end = std::min(rest.find('\n'), rest.size());
    check(rest.substr(0, end));
    answer.add("WWW-Authenticate", std::string{rest.substr(0, end)});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  auto const challenge = upstream::read_challenge(answer);
  SP_ASSERT(challenge.scope.empty() || upstream::is_scope_list(challenge.scope), "scopes");
  SP_ASSERT(challenge.error.empty() || http::is_token(challenge.error), "a name of an error");
  return 0;
}
