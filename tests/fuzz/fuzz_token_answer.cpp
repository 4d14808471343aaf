// The answer of a token endpoint: headers in the first line (Date, Retry-After and others,
// separated by tabs), the body in the rest. Whatever comes is read or refused; what is read can be
// sent in a header, lives for a bounded time, and a refusal has none of the answer in it.
#include "src/base/assert.hpp"
#include "src/http/chars.hpp"
#include "src/oauth/token_request.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace http = sallyport::http;
namespace oauth = sallyport::oauth;
using namespace std::chrono_literals;

namespace {

http::Response answer_of(std::string_view text) {
  auto const line = std::min(text.find('\n'), text.size());
  auto const fields = text.substr(0, line);
  auto const tab = std::min(fields.find('\t'), fields.size());
  http::Response answer{.status = !fields.empty() && fields.front() == '!' ? 400 : 200};
  answer.headers.add("Date", std::string{fields.substr(0, tab)});
  answer.headers.add("Retry-After", std::string{fields.substr(std::min(tab + 1, fields.size()))});
  answer.body = text.substr(std::min(line + 1, text.size()));
  return answer;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const answer = answer_of({reinterpret_cast<char const*>(data), size});
  oauth::TokenOptions const options{.token_url = "https://as.example/token", .client_id = "a"};
  auto const now = oauth::WallClock::time_point{std::chrono::seconds{1'700'000'000}};
  auto const wait = oauth::asked_to_wait(answer);
  SP_ASSERT(!wait || (*wait >= 0s && *wait <= 300s), "nobody keeps us waiting for ever");
  auto const token = oauth::read_token_answer(answer, options, now);
  if (!token) {
    auto const& error = token.error();
    SP_ASSERT(error.message.size() + error.detail.size() < 120, "a refusal is one of a few texts");
    return 0;
  }
  auto const& value = token->header_value.reveal();
  SP_ASSERT(http::is_field_value(value), "what is read can be sent");
  SP_ASSERT(std::ranges::count(value, ' ') == 1, "a scheme and a token");
  SP_ASSERT(token->lifetime >= 0s && token->lifetime <= 365 * 24h, "lifetimes have bounds");
  return 0;
}
