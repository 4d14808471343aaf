// What policies are given to judge comes from strangers: tokens, certificates, keys, addresses,
// times. The first byte chooses a built-in, zero bytes separate its operands. Whatever comes is
// read or refused, and nobody without the key makes a token that is accepted.
#include "src/base/assert.hpp"
#include "src/rego/build.hpp"
#include "src/rego/builtins/testing.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace rego = sallyport::rego;

namespace {

constexpr std::array<std::string_view, 29> kBuiltins{
    "crypto.parse_private_keys",
    "crypto.x509.parse_and_verify_certificates",
    "crypto.x509.parse_certificate_request",
    "crypto.x509.parse_certificates",
    "crypto.x509.parse_keypair",
    "crypto.x509.parse_rsa_private_key",
    "io.jwt.decode",
    "io.jwt.decode_verify",
    "io.jwt.encode_sign_raw",
    "io.jwt.verify_eddsa",
    "io.jwt.verify_es256",
    "io.jwt.verify_es384",
    "io.jwt.verify_es512",
    "io.jwt.verify_hs256",
    "io.jwt.verify_ps256",
    "io.jwt.verify_rs256",
    "net.cidr_contains",
    "net.cidr_contains_matches",
    "net.cidr_expand",
    "net.cidr_intersects",
    "net.cidr_is_valid",
    "net.cidr_merge",
    "time.clock",
    "time.date",
    "time.diff",
    "time.format",
    "time.parse_duration_ns",
    "time.parse_ns",
    "time.weekday",
};

// Of a key that nobody has.
constexpr std::string_view kPublicKey =
    R"({"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",)"
    R"("y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"})";

rego::Value array_of(rego::Arena& arena, std::initializer_list<rego::Value> items) {
  rego::ArrayBuilder array{arena};
  for (auto const item : items) array.add(item);
  return array.finish();
}

void expect_no_forgery(rego::test::BuiltinBench& bench, rego::Value token) {
  rego::ObjectBuilder constraints{bench.arena};
  constraints.add("cert", rego::Value::string(kPublicKey));
  std::array const operands{token, constraints.finish()};
  auto const answer = bench.call("io.jwt.decode_verify", operands);
  SP_ASSERT(!answer.is_defined() || answer.items()[0].is_false(), "nobody forges a token");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  auto const name = kBuiltins[data[0] % kBuiltins.size()];
  std::string_view rest{reinterpret_cast<char const*>(data) + 1, size - 1};
  std::array<std::string_view, 3> texts;
  for (auto& text : texts) {
    text = rest.substr(0, rest.find('\0'));
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
  }
  rego::test::BuiltinBench bench{{.steps = 100'000, .most_items = 1000}};
  bench.prepare = (data[0] & 0x80U) != 0;
  auto const text = [&](std::size_t i) { return rego::Value::string(texts[i]); };
  std::array operands{text(0), text(1), text(2)};
  if (name == "io.jwt.decode_verify") return expect_no_forgery(bench, text(0)), 0;
  if (name == "net.cidr_merge") operands[0] = array_of(bench.arena, {text(0), text(1), text(2)});
  if (name.starts_with("time.") && !name.starts_with("time.parse")) {
    std::uint64_t bits = 0;
    for (auto const c : texts[2].substr(0, 8)) bits = bits << 8U | static_cast<unsigned char>(c);
    auto const time = rego::Value::integer(static_cast<std::int64_t>(bits));
    operands[0] = array_of(bench.arena, {time, text(0), text(1)});
    operands[1] = operands[0];
  }
  bench.call(name, operands);
  return 0;
}
