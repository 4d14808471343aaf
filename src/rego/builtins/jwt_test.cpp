#include "src/base/base64.hpp"
#include "src/rego/builtins/testing.hpp"
#include "src/rego/crypto/openssl.hpp"
#include "src/rego/crypto/private_key.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

using test::result;

// A key pair as JWKs, made for this run.
struct KeyPair {
  std::string private_jwk;
  std::string public_jwk;
};

KeyPair make_pair_of(EVP_PKEY* raw) {
  crypto::Owned<EVP_PKEY> const key{raw};
  Arena arena;
  auto const jwk = crypto::private_key_jwk(key.get(), arena);
  std::string public_part;
  for (std::string_view const name : {"kty", "crv", "x", "y", "n", "e"}) {
    auto const member = get(jwk, name);
    if (!member.is_defined()) continue;
    public_part +=
        (public_part.empty() ? "{\"" : ",\"") + std::string{name} + "\":" + to_json(member);
  }
  return {to_json(jwk), public_part + "}"};
}

KeyPair const& key_for(std::string_view algorithm) {
  static auto const rsa = make_pair_of(EVP_RSA_gen(2048));
  static auto const p256 = make_pair_of(EVP_EC_gen("P-256"));
  static auto const p384 = make_pair_of(EVP_EC_gen("P-384"));
  static auto const p521 = make_pair_of(EVP_EC_gen("P-521"));
  static auto const ed = make_pair_of(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  static KeyPair const secret{R"({"kty":"oct","k":"c2VjcmV0"})", "secret"};
  if (algorithm.starts_with("HS")) return secret;
  if (algorithm == "ES256") return p256;
  if (algorithm == "ES384") return p384;
  if (algorithm == "ES512") return p521;
  return algorithm == "EdDSA" ? ed : rsa;
}

std::string as_json(std::string_view text) {
  return to_json(Value::string(text));
}

// With these claims (JSON), signed.
std::string make_token(std::string const& algorithm, std::string const& claims,
                       std::string const& more_header = {}) {
  test::BuiltinBench bench;
  auto const operands = bench.parse("[{\"alg\":\"" + algorithm + "\"" + more_header + "}," +
                                    claims + "," + key_for(algorithm).private_jwk + "]");
  auto const token = bench.call("io.jwt.encode_sign", operands.items());
  EXPECT_TRUE(token.is(Kind::String)) << bench.message;
  return token.is(Kind::String) ? std::string{token.as_string()} : std::string{};
}

// Verified with constraints (JSON without braces), at the tenth second after the epoch.
std::string decode_verify(std::string_view token, std::string const& constraints) {
  test::BuiltinBench bench;
  bench.now = std::chrono::seconds{10};
  auto const operands = "[" + as_json(token) + ",{" + constraints + "}]";
  auto const plain = bench.result("io.jwt.decode_verify", operands);
  bench.prepare = true;
  EXPECT_EQ(bench.result("io.jwt.decode_verify", operands), plain) << "prepared";
  return plain;
}

bool is_verified(std::string_view token, std::string const& constraints) {
  return decode_verify(token, constraints).starts_with("[true, ");
}

std::string key_constraint(std::string const& algorithm) {
  auto const& key = key_for(algorithm).public_jwk;
  return (algorithm.starts_with("HS") ? R"("secret":)" : R"("cert":)") + as_json(key);
}

constexpr std::string_view kRefused = "[false, {}, {}]";
constexpr std::array<char const*, 13> kAlgorithms{"HS256", "HS384", "HS512", "RS256", "RS384",
                                                  "RS512", "PS256", "PS384", "PS512", "ES256",
                                                  "ES384", "ES512", "EdDSA"};

TEST(JwtBuiltins, VerifyWhatTheySign) {
  for (std::string const algorithm : kAlgorithms) {
    auto const token = make_token(algorithm, R"({"iss":"me"})");
    auto name = "io.jwt.verify_" + algorithm;
    for (auto& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    auto const operands = "[" + as_json(token) + "," + as_json(key_for(algorithm).public_jwk) + "]";

    EXPECT_EQ(result(name, operands), "true") << algorithm;
    EXPECT_EQ(test::prepared_result(name, operands), "true") << algorithm;
    EXPECT_TRUE(is_verified(token, key_constraint(algorithm))) << algorithm;
  }
}

TEST(JwtBuiltins, RefuseATokenThatWasChanged) {
  for (std::string const algorithm : kAlgorithms) {
    auto const token = make_token(algorithm, R"({"iss":"me"})");
    auto const dot = token.find('.');
    auto const forged = token.substr(0, dot + 1) + base64::encode_url(R"({"iss":"you"})") +
                        token.substr(token.rfind('.'));

    EXPECT_EQ(decode_verify(forged, key_constraint(algorithm)), kRefused) << algorithm;
    EXPECT_EQ(decode_verify(token.substr(0, token.rfind('.') + 1), key_constraint(algorithm)),
              kRefused)
        << algorithm;
  }
}

TEST(JwtBuiltins, NeverTakeAPublicKeyForASecret) {
  auto const& key = key_for("RS256").public_jwk;
  test::BuiltinBench bench;
  auto const jwk = R"({"kty":"oct","k":")" + base64::encode_url(key) + "\"}";
  auto const operands = bench.parse(R"([{"alg":"HS256"},{"iss":"me"},)" + jwk + "]");
  std::string const forged{bench.call("io.jwt.encode_sign", operands.items()).as_string()};

  EXPECT_EQ(decode_verify(forged, R"("cert":)" + as_json(key)), kRefused);
}

TEST(JwtBuiltins, RefuseATokenWithoutSignature) {
  auto const token = base64::encode_url(R"({"alg":"none"})") + "." + base64::encode_url("{}") + ".";

  EXPECT_EQ(decode_verify(token, R"("secret":"secret")"), kRefused);
  EXPECT_EQ(decode_verify(token, key_constraint("RS256")), kRefused);
}

TEST(JwtBuiltins, HoldTheClaimsToTheConstraints) {
  auto const secret = key_constraint("HS256");
  struct Case {
    char const* claims;
    char const* constraints;
    bool is_met;
  };
  for (auto const& [claims, constraints, is_met] : std::initializer_list<Case>{
           {R"({"iss":"me"})", R"(,"iss":"me")", true},
           {R"({"iss":"me"})", R"(,"iss":"you")", false},
           {R"({})", R"(,"iss":"me")", false},
           {R"({"iss":1})", R"(,"iss":"me")", false},
           {R"({"aud":"a"})", R"(,"aud":"a")", true},
           {R"({"aud":["b","a"]})", R"(,"aud":"a")", true},
           {R"({"aud":"a"})", "", false},
           {R"({})", R"(,"aud":"a")", false},
           {R"({"exp":11})", "", true},
           {R"({"exp":10})", "", false},
           {R"({"exp":10.5})", R"(,"time":10400000000)", true},
           {R"({"exp":10.5})", R"(,"time":10500000000)", false},
           {R"({"nbf":10})", "", true},
           {R"({"nbf":10.001})", "", false},
           {R"({})", R"(,"alg":"HS256")", true},
           {R"({})", R"(,"alg":"HS512")", false},
       }) {
    EXPECT_EQ(is_verified(make_token("HS256", claims), secret + constraints), is_met)
        << claims << constraints;
  }
}

TEST(JwtBuiltins, SayWhatIsWrongWithConstraints) {
  auto const token = make_token("HS256", "{}");
  struct Case {
    char const* constraints;
    char const* error;
  };
  for (auto const& [constraints, error] : std::initializer_list<Case>{
           {"", "error: no key constraint"},
           {R"("secret":"")", "error: no key constraint"},
           {R"("secret":1)", "error: secret constraint: must be a string"},
           {R"("secrett":"s")", "error: unknown token validation constraint: secrett"},
           {R"("secret":"s","time":-1)", "error: token time constraint: must not be negative"},
           {R"("secret":"s","time":"x")", "error: token time constraint: must be a number"},
           {R"("secret":"s","cert":"{\"keys\":[]}")", "error: duplicate key constraints"},
           {R"("cert":1)", "error: cert constraint: must be a string"},
       }) {
    EXPECT_EQ(decode_verify(token, constraints), error) << constraints;
  }
  EXPECT_EQ(decode_verify(make_token("HS256", R"({"exp":"x"})"), key_constraint("HS256")),
            "error: exp value must be a number");
}

TEST(JwtBuiltins, RefuseCriticalMembersThatNobodyKnows) {
  auto const token = make_token("HS256", "{}", R"(,"crit":["x"],"x":1)");

  EXPECT_EQ(decode_verify(token, key_constraint("HS256")), kRefused);
}

TEST(JwtBuiltins, OpenATokenInAToken) {
  auto const inner = make_token("HS256", R"({"iss":"me"})");
  auto const outer_text =
      base64::encode_url(R"({"alg":"HS256","cty":"JWT"})") + "." + base64::encode_url(inner);
  auto const signature = crypto::hmac(crypto::Hash::Sha256, "secret", outer_text);
  auto const outer = outer_text + "." + base64::encode_url(signature);

  EXPECT_TRUE(is_verified(outer, key_constraint("HS256")));
  EXPECT_EQ(decode_verify(outer_text + ".AAAA", key_constraint("HS256")), kRefused);
  EXPECT_TRUE(result("io.jwt.decode", "[" + as_json(outer) + "]")
                  .starts_with(R"([{"alg": "HS256"}, {"iss": "me"}, ")"));
}

TEST(JwtBuiltins, ChooseTheKeyByItsId) {
  auto const token = make_token("RS256", "{}", R"(,"kid":"right")");
  auto const with_id = [](std::string jwk, std::string_view id) {
    jwk.pop_back();
    return jwk + R"(,"kid":")" + std::string{id} + "\"}";
  };
  auto const good = key_for("RS256").public_jwk;
  auto const other = key_for("ES256").public_jwk;

  auto const right = R"({"keys":[)" + with_id(other, "x") + "," + with_id(good, "right") + "]}";
  auto const wrong = R"({"keys":[)" + with_id(good, "x") + "," + with_id(other, "right") + "]}";

  EXPECT_TRUE(is_verified(token, R"("cert":)" + as_json(right)));
  EXPECT_FALSE(is_verified(token, R"("cert":)" + as_json(wrong)));
}

TEST(JwtBuiltins, SayWhatIsWrongWithTokens) {
  struct Case {
    std::string token;
    char const* error;
  };
  for (auto const& [token, error] : std::initializer_list<Case>{
           {"abc", "error: encoded JWT had no period separators"},
           {"a.b", "error: encoded JWT must have 3 sections, found 2"},
           {"a^==.e30.",
            "error: JWT header had invalid encoding: illegal base64 data at input byte 1"},
           {"W10.e30.", "error: bad JWT header: decoded JSON type was not an Object"},
           {base64::encode_url(R"({"enc":"x"})") + ".e30.",
            "error: JWT is a JWE object, which is not supported"},
           {"e30.W10.", "error: decoded JSON type was not an Object"},
           {"e30.e30.a", "error: JWT signature had invalid encoding: illegal base64url string: a"},
       }) {
    EXPECT_EQ(result("io.jwt.decode", "[" + as_json(token) + "]"), error) << token;
  }
}

TEST(JwtBuiltins, RefuseKeysThatAreNone) {
  auto const token = make_token("RS256", "{}");
  for (auto const* const key :
       {"", "{}", "x", R"({"kty":"RSA","n":"","e":"AQAB"})",
        R"({"kty":"EC","crv":"P-256","x":"AQ","y":"AQ"})", R"({"keys":[{"kty":"dog"}]})",
        R"({"keys":1})", R"({"kty":"OKP","crv":"Ed25519","x":"AQ"})"}) {
    auto const answer =
        result("io.jwt.verify_rs256", "[" + as_json(token) + "," + as_json(key) + "]");
    EXPECT_TRUE(answer.starts_with("error: failed to parse a JWK key (set)")) << key << answer;
  }
}

TEST(JwtBuiltins, SignOnlyWithKeysThatFit) {
  auto const& jwk = key_for("ES256").private_jwk;
  EXPECT_TRUE(
      result("io.jwt.encode_sign", R"([{"alg":"RS256"},{},)" + jwk + "]").starts_with("error: "));
  EXPECT_TRUE(
      result("io.jwt.encode_sign", R"([{"alg":"ES256"},{},)" + key_for("ES256").public_jwk + "]")
          .starts_with("error: "));
  EXPECT_EQ(result("io.jwt.encode_sign_raw",
                   R"(["{\"alg\":\"HS256\"}", "no", "{\"kty\":\"oct\",\"k\":\"YQ\"}"])"),
            "error: type is JWT but payload is not JSON");
  EXPECT_EQ(result("io.jwt.encode_sign_raw", R"(["{}", "{}", "{\"keys\":[]}"])"),
            "error: no keys found in JWK set");
}

}  // namespace
}  // namespace sallyport::rego
