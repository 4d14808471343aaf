#include "src/oauth/token_request.hpp"

#include "src/base/base64.hpp"
#include "src/base/random_id.hpp"
#include "src/http/chars.hpp"
#include "src/http/dates.hpp"
#include "src/json/parse.hpp"
#include "src/json/write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace sallyport::oauth {
namespace {

using std::chrono::seconds;

constexpr std::size_t kLargestAnswer = 64UL * 1024;
constexpr std::size_t kLongestToken = 16UL * 1024;
constexpr seconds kLongestLifetime{365L * 24 * 3600};
constexpr seconds kLongestWait{300};
// Of an assertion. It is made a little in the past, for servers whose clocks are behind ours.
constexpr seconds kAssertionLifetime{60};
constexpr seconds kAssertionBackdated{10};

// RFC 6749, section 5.2; RFC 8707, section 2; RFC 9449; and two that servers also use.
constexpr std::array<std::string_view, 11> kKnownErrors{
    "invalid_request",        "invalid_client", "invalid_grant",     "unauthorized_client",
    "unsupported_grant_type", "invalid_scope",  "invalid_target",    "temporarily_unavailable",
    "server_error",           "use_dpop_nonce", "invalid_dpop_proof"};

// https://url.spec.whatwg.org/#concept-urlencoded-serializer
std::string form_encoded(std::string_view text) {
  std::string out;
  for (char const c : text) {
    bool const plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || http::is_digit(c) ||
                       c == '*' || c == '-' || c == '.' || c == '_';
    if (plain) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

class Form {
 public:
  void add(std::string_view name, std::string_view value) {
    if (!text_.empty()) text_ += '&';
    text_ += form_encoded(name) + '=' + form_encoded(value);
  }
  void add_if_set(std::string_view name, std::string_view value) {
    if (!value.empty()) add(name, value);
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

std::int64_t unix_time(WallClock::time_point time) {
  return std::chrono::duration_cast<seconds>(time.time_since_epoch()).count();
}

// RFC 7523, sections 2.2 and 3.
Result<std::string> client_assertion(TokenOptions const& options, WallClock::time_point now) {
  auto const& key = *options.private_key;
  json::Object header{{"alg", name_of(key.algorithm())}, {"typ", "JWT"}};
  if (!options.key_id.empty()) header["kid"] = options.key_id;
  auto const& audience =
      options.assertion_audience.empty() ? options.token_url : options.assertion_audience;
  json::Object const claims{{"iss", options.client_id},
                            {"sub", options.client_id},
                            {"aud", audience},
                            {"jti", random_id()},
                            {"iat", unix_time(now - kAssertionBackdated)},
                            {"exp", unix_time(now + kAssertionLifetime)}};
  auto text =
      base64::encode_url(json::to_text(header)) + '.' + base64::encode_url(json::to_text(claims));
  SP_TRY(auto const signature, key.sign(text));
  return text + '.' + base64::encode_url(signature);
}

Result<void> authenticate(TokenOptions const& options, WallClock::time_point now, Form& form,
                          http::Headers& headers) {
  switch (options.client_auth) {
    case ClientAuth::SecretPost:
      form.add("client_id", options.client_id);
      form.add("client_secret", options.client_secret.reveal());
      return {};
    case ClientAuth::SecretBasic:
      // RFC 6749, section 2.3.1: each is encoded as in a form before they are joined.
      headers.add("Authorization",
                  "Basic " + base64::encode(form_encoded(options.client_id) + ':' +
                                            form_encoded(options.client_secret.reveal())));
      return {};
    case ClientAuth::None: form.add_if_set("client_id", options.client_id); return {};
    case ClientAuth::PrivateKeyJwt:
      SP_TRY(auto const assertion, client_assertion(options, now));
      form.add("client_id", options.client_id);
      form.add("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
      form.add("client_assertion", assertion);
      return {};
  }
  return {};
}

Result<http::ClientRequest> make_request(TokenOptions const& options, Form form,
                                         WallClock::time_point now) {
  form.add_if_set("audience", options.audience);
  for (auto const& resource : options.resources) form.add("resource", resource);
  for (auto const& [name, value] : options.parameters) form.add(name, value);
  http::Headers headers{{"Accept", "application/json"},
                        {"Content-Type", "application/x-www-form-urlencoded"}};
  SP_CHECK(authenticate(options, now, form, headers));
  return http::ClientRequest{.method = "POST",
                             .url = options.token_url,
                             .headers = std::move(headers),
                             .body = std::move(form).text(),
                             .max_response_bytes = kLargestAnswer};
}

Error unusable(std::string why) {
  return fail(Errc::CredentialUnavailable, "The answer of the token endpoint cannot be used.",
              std::move(why));
}

Result<json::Object> object_in(std::string const& body) {
  auto document = json::parse(body, {}, {.depth = 16});
  // The parser's message could quote the answer; it stays here.
  if (!document || !document->is_object()) return unusable("it is not a JSON object");
  return std::move(document->get_object());
}

Error refused(http::Response const& answer) {
  auto why = fmt::format("status {}", answer.status);
  auto const name = known_error_in(answer);
  if (!name.empty()) why += fmt::format(", {}", name);
  return fail(Errc::CredentialUnavailable, "The token endpoint gave no token.", std::move(why));
}

// SECURITY: what it gives goes into a header.
bool is_sendable_token(std::string_view token) {
  return !token.empty() && token.size() <= kLongestToken &&
         std::ranges::all_of(token, [](char c) { return c > ' ' && c < 0x7F; });
}

Result<std::string> scheme_of(json::Object const& answer, TokenOptions const& options) {
  auto const* const type = json::find(answer, "token_type");
  if (type == nullptr || type->is_null()) return std::string{"Bearer"};
  auto const* const text = type->if_string();
  auto const name = text == nullptr ? std::string_view{} : json::view(*text);
  // Servers write it in any case, sites compare it exactly.
  if (http::equals_ignoring_case(name, "bearer") ||
      http::equals_ignoring_case(name, "bearertoken")) {
    return std::string{"Bearer"};
  }
  if (options.accepts_dpop && http::equals_ignoring_case(name, "dpop")) return std::string{"DPoP"};
  // A token that needs a proof of possession with each request is of no use without.
  bool const bound = http::equals_ignoring_case(name, "dpop") ||
                     http::equals_ignoring_case(name, "mac") ||
                     http::equals_ignoring_case(name, "pop");
  if (bound || !http::is_token(name)) return unusable("its token_type is not supported");
  return std::string{name};
}

std::optional<double> number_in(json::Value const& value) {
  if (value.is_int64()) return static_cast<double>(value.get_int64());
  if (value.is_uint64()) return static_cast<double>(value.get_uint64());
  if (value.is_double()) return value.get_double();
  auto const* const text = value.if_string();
  if (text == nullptr) return std::nullopt;
  double number = 0;
  auto const* const end = text->data() + text->size();
  auto const read = std::from_chars(text->data(), end, number, std::chars_format::fixed);
  return read.ec == std::errc{} && read.ptr == end ? std::optional{number} : std::nullopt;
}

seconds bounded(double lifetime) {
  if (!(lifetime > 0)) return seconds{0};
  return seconds{
      static_cast<std::int64_t>(std::min(lifetime, static_cast<double>(kLongestLifetime.count())))};
}

// Of a token that is a JWT. Not verified: it only says how long the token is kept.
std::optional<double> expiry_in(std::string_view token) {
  auto const first = token.find('.');
  auto const second = first == std::string_view::npos ? first : token.find('.', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  auto const payload = base64::decode_url(token.substr(first + 1, second - first - 1));
  if (!payload) return std::nullopt;
  auto const claims = object_in(*payload);
  auto const* const expiry = claims ? json::find(*claims, "exp") : nullptr;
  return expiry == nullptr || expiry->is_string() ? std::nullopt : number_in(*expiry);
}

double clock_of(http::Response const& answer, WallClock::time_point now) {
  auto const ours = std::chrono::floor<seconds>(now);
  auto const* const field = answer.headers.find("Date");
  auto const theirs =
      field == nullptr ? std::optional<http::WallTime>{} : http::parse_http_date(*field, ours);
  return static_cast<double>(theirs.value_or(ours).time_since_epoch().count());
}

seconds lifetime_of(json::Object const& object, std::string_view token,
                    http::Response const& answer, TokenOptions const& options,
                    WallClock::time_point now) {
  if (auto const* const stated = json::find(object, "expires_in")) {
    if (auto const lifetime = number_in(*stated)) return bounded(*lifetime);
  }
  if (auto const expiry = expiry_in(token)) return bounded(*expiry - clock_of(answer, now));
  return options.assumed_lifetime;
}

}  // namespace

Result<http::ClientRequest> token_request(TokenOptions const& options, FormFields const& fields,
                                          WallClock::time_point now) {
  Form form;
  for (auto const& [name, value] : fields) form.add(name, value);
  return make_request(options, std::move(form), now);
}

Result<http::ClientRequest> client_credentials_request(TokenOptions const& options,
                                                       WallClock::time_point now) {
  Form form;
  form.add("grant_type", "client_credentials");
  form.add_if_set("scope", options.scope);
  return make_request(options, std::move(form), now);
}

Result<http::ClientRequest> refresh_request(TokenOptions const& options,
                                            Secret const& refresh_token,
                                            WallClock::time_point now) {
  Form form;
  form.add("grant_type", "refresh_token");
  form.add("refresh_token", refresh_token.reveal());
  return make_request(options, std::move(form), now);
}

std::string_view known_error_in(http::Response const& answer) {
  auto const object = object_in(answer.body);
  auto const* const error = object ? json::find_string(*object, "error") : nullptr;
  if (error == nullptr) return {};
  auto const* const known = std::ranges::find(kKnownErrors, json::view(*error));
  return known == kKnownErrors.end() ? std::string_view{} : *known;
}

Result<IssuedToken> read_token_answer(http::Response const& answer, TokenOptions const& options,
                                      WallClock::time_point now) {
  if (answer.status != 200 && answer.status != 201) return refused(answer);
  SP_TRY(auto const object, object_in(answer.body));
  auto const* const text = json::find_string(object, "access_token");
  auto const token = text == nullptr ? std::string_view{} : json::view(*text);
  if (!is_sendable_token(token)) return unusable("it has no access_token that can be sent");
  SP_TRY(auto const scheme, scheme_of(object, options));
  IssuedToken issued{.header_value = Secret{fmt::format("{} {}", scheme, token)},
                     .lifetime = lifetime_of(object, token, answer, options, now)};
  auto const* const refresh = json::find_string(object, "refresh_token");
  if (refresh != nullptr) issued.refresh_token = Secret{std::string{json::view(*refresh)}};
  auto const* const scope = json::find_string(object, "scope");
  if (scope != nullptr) issued.scope = json::view(*scope);
  return issued;
}

std::optional<seconds> asked_to_wait(http::Response const& answer) {
  auto const* const field = answer.headers.find("Retry-After");
  if (field == nullptr) return std::nullopt;
  std::uint32_t wait = 0;
  auto const* const end = field->data() + field->size();
  auto const read = std::from_chars(field->data(), end, wait);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return std::min(seconds{wait}, kLongestWait);
}

}  // namespace sallyport::oauth
