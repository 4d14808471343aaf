#include "src/rego/build.hpp"
#include "src/rego/builtins/tables.hpp"
#include "src/rego/crypto/base64.hpp"
#include "src/rego/crypto/certificate.hpp"
#include "src/rego/crypto/certificate_chain.hpp"
#include "src/rego/crypto/private_key.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace sallyport::rego::builtins {
namespace {

using crypto::Problem;
using crypto::UriStrings;

Problem values_of(std::span<std::string const> certificates, UriStrings strings, Arena& arena,
                  Value& out) {
  ArrayBuilder list{arena, certificates.size()};
  for (auto const& der : certificates) {
    Value value;
    auto problem = crypto::certificate_value(der, strings, arena, value);
    if (!problem.empty()) return problem;
    list.add(value);
  }
  out = list.finish();
  return {};
}

Value parse_certificates(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  std::vector<std::string> certificates;
  Value out;
  auto problem = crypto::certificates_of_text(operands[0].as_string(), certificates);
  if (problem.empty()) problem = values_of(certificates, UriStrings::With, call.arena, out);
  return problem.empty() ? out : call.fail(problem);
}

Value pair_of(Arena& arena, bool is_valid, Value certificates) {
  ArrayBuilder pair{arena, 2};
  pair.add(Value::boolean(is_valid));
  pair.add(certificates);
  return pair.finish();
}

// [false, []] for everything that is wrong with the certificates.
Value verify(BuiltinCall& call, std::span<std::string const> certificates,
             crypto::ChainOptions const& options, UriStrings strings) {
  std::vector<std::string> chain;
  Value out;
  auto problem = crypto::verify_chain(certificates, options, chain);
  if (problem.empty()) problem = values_of(chain, strings, call.arena, out);
  if (!problem.empty()) return pair_of(call.arena, false, Value::array({}));
  return pair_of(call.arena, true, out);
}

// Each must also be one that can be shown: what Go does not read, it does not verify.
bool read_certificates(BuiltinCall& call, Value text, std::vector<std::string>& out) {
  Value ignored;
  return crypto::certificates_of_text(text.as_string(), out).empty() &&
         values_of(out, UriStrings::Without, call.arena, ignored).empty();
}

Value parse_and_verify(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  std::vector<std::string> certificates;
  if (!read_certificates(call, operands[0], certificates)) {
    return pair_of(call.arena, false, Value::array({}));
  }
  return verify(call, certificates, {.time = call.now}, UriStrings::With);
}

constexpr std::array<std::string_view, 14> kUsages{
    "KeyUsageAny",
    "KeyUsageServerAuth",
    "KeyUsageClientAuth",
    "KeyUsageCodeSigning",
    "KeyUsageEmailProtection",
    "KeyUsageIPSECEndSystem",
    "KeyUsageIPSECTunnel",
    "KeyUsageIPSECUser",
    "KeyUsageTimeStamping",
    "KeyUsageOCSPSigning",
    "KeyUsageMicrosoftServerGatedCrypto",
    "KeyUsageNetscapeServerGatedCrypto",
    "KeyUsageMicrosoftCommercialCodeSigning",
    "KeyUsageMicrosoftKernelCodeSigning",
};

std::string_view without_quotes(std::string_view text) noexcept {
  while (text.starts_with('"')) text.remove_prefix(1);
  while (text.ends_with('"')) text.remove_suffix(1);
  return text;
}

Problem read_usages(Value list, std::vector<int>& out) {
  if (!list.is(Kind::Array) && !list.is(Kind::Set)) return "'KeyUsages' should be an Array or Set";
  std::string invalid;
  for (auto const item : list.items()) {
    if (!item.is(Kind::String)) continue;
    auto const name = without_quotes(item.as_string());
    auto const known = std::ranges::find(kUsages, name);
    if (known != kUsages.end()) {
      out.push_back(static_cast<int>(known - kUsages.begin()));
      continue;
    }
    if (!invalid.empty()) invalid += ' ';
    invalid += name;
  }
  if (invalid.empty()) return {};
  return "invalid entries for 'KeyUsages' found: [" + invalid + "]";
}

Problem read_option(std::string_view name, Value value, crypto::ChainOptions& options) {
  if (name == "DNSName") {
    if (!value.is(Kind::String)) return "'DNSName' should be a string";
    options.dns_name = without_quotes(value.as_string());
    return {};
  }
  if (name == "CurrentTime") {
    if (!value.is(Kind::Number)) return "'CurrentTime' should be a number";
    if (!value.is_int64()) return "'CurrentTime' should be a valid int64 number";
    options.time = std::chrono::nanoseconds{value.as_int64()};
    return {};
  }
  if (name == "MaxConstraintComparisons") {
    // OpenSSL has its own bound.
    if (!value.is(Kind::Number)) return "'MaxConstraintComparisons' should be a number";
    return value.is_int64() ? "" : "'MaxConstraintComparisons' should be a valid number";
  }
  if (name == "KeyUsages") return read_usages(value, options.usages);
  return "invalid key option";
}

Value parse_and_verify_with_options(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  if (!operands[1].is(Kind::Object)) return call.wrong_type(2, "object", operands[1]);
  std::vector<std::string> certificates;
  if (!read_certificates(call, operands[0], certificates)) {
    return pair_of(call.arena, false, Value::array({}));
  }
  crypto::ChainOptions options{.time = call.now};
  for (auto const& [key, value] : operands[1].entries()) {
    if (!key.is(Kind::String)) continue;
    auto problem = read_option(key.as_string(), value, options);
    if (!problem.empty()) return call.fail(problem);
  }
  return verify(call, certificates, options, UriStrings::Without);
}

Value parse_certificate_request(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  Value out;
  auto problem = crypto::certificate_request_value(operands[0].as_string(), call.arena, out);
  return problem.empty() ? out : call.fail(problem);
}

Value parse_keypair(BuiltinCall& call, Operands operands) {
  for (auto const operand : operands.first(2)) {
    if (!operand.is(Kind::String)) return call.wrong_type(1, "string", operand);
  }
  Value out;
  auto problem =
      crypto::key_pair_value(operands[0].as_string(), operands[1].as_string(), call.arena, out);
  return problem.empty() ? out : call.fail(problem);
}

Value parse_rsa_private_key(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  auto const text = operands[0].as_string();
  if (text.empty()) return call.fail("input PEM data was empty");
  if (!text.starts_with("-----BEGIN")) {
    auto const decoded = crypto::decode_base64(text, crypto::Base64::Standard);
    if (!decoded.problem.empty()) return call.fail(decoded.problem);
  }
  std::vector<crypto::Key::Handle> keys;
  if (auto problem = crypto::private_keys_of_text(text, keys); !problem.empty()) {
    return call.fail(problem);
  }
  return keys.empty() ? Value::null() : crypto::private_key_jwk(keys.front().get(), call.arena);
}

Value parse_private_keys(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  auto const text = operands[0].as_string();
  if (text.empty()) return Value::null();
  std::vector<crypto::Key::Handle> keys;
  if (auto problem = crypto::private_keys_of_text(text, keys); !problem.empty()) {
    return call.fail(problem);
  }
  ArrayBuilder list{call.arena, keys.size()};
  for (auto const& key : keys) list.add(crypto::private_key_value(key.get(), call.arena));
  return list.finish();
}

constexpr std::array kTable{
    Builtin{"crypto.parse_private_keys", "string -> array[object[string: any]]",
            parse_private_keys},
    // They depend on the time that it is.
    Builtin{"crypto.x509.parse_and_verify_certificates",
            "string -> array<boolean, array[object[string: any]]>", parse_and_verify, nullptr,
            Builtin::kNondeterministic},
    Builtin{"crypto.x509.parse_and_verify_certificates_with_options",
            "string, object[string: any] -> array<boolean, array[object[string: any]]>",
            parse_and_verify_with_options, nullptr, Builtin::kNondeterministic},
    Builtin{"crypto.x509.parse_certificate_request", "string -> object[string: any]",
            parse_certificate_request},
    Builtin{"crypto.x509.parse_certificates", "string -> array[object[string: any]]",
            parse_certificates},
    Builtin{"crypto.x509.parse_keypair", "string, string -> object[string: any]", parse_keypair},
    Builtin{"crypto.x509.parse_rsa_private_key", "string -> object[string: any]",
            parse_rsa_private_key},
};

}  // namespace

BuiltinTable x509() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
