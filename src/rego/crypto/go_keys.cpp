// Algorithms and public keys of certificates, by Go's numbers and names.
#include "src/rego/build.hpp"
#include "src/rego/crypto/go_values.hpp"
#include "src/rego/crypto/openssl.hpp"

#include <array>
#include <utility>

namespace sallyport::rego::crypto {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 16> kSignatures{{
    {"1.2.840.113549.1.1.4", 2},     // MD5WithRSA
    {"1.2.840.113549.1.1.5", 3},     // SHA1WithRSA
    {"1.3.14.3.2.29", 3},            // the same, by ISO
    {"1.2.840.113549.1.1.11", 4},    // SHA256WithRSA
    {"1.2.840.113549.1.1.12", 5},    // SHA384WithRSA
    {"1.2.840.113549.1.1.13", 6},    // SHA512WithRSA
    {"1.2.840.10040.4.3", 7},        // DSAWithSHA1
    {"2.16.840.1.101.3.4.3.2", 8},   // DSAWithSHA256
    {"1.2.840.10045.4.1", 9},        // ECDSAWithSHA1
    {"1.2.840.10045.4.3.2", 10},     // ECDSAWithSHA256
    {"1.2.840.10045.4.3.3", 11},     // ECDSAWithSHA384
    {"1.2.840.10045.4.3.4", 12},     // ECDSAWithSHA512
    {"2.16.840.1.101.3.4.2.1", 13},  // SHA256WithRSAPSS, by its hash
    {"2.16.840.1.101.3.4.2.2", 14},  // SHA384WithRSAPSS
    {"2.16.840.1.101.3.4.2.3", 15},  // SHA512WithRSAPSS
    {"1.3.101.112", 16},             // PureEd25519
}};
constexpr std::string_view kPss = "1.2.840.113549.1.1.10";

int number_of_signature(std::string_view oid) noexcept {
  for (auto const& [known, number] : kSignatures) {
    if (known == oid) return number;
  }
  return 0;
}

// RSASSA-PSS-params: [0] hash, then what must agree with it.
int pss_algorithm(Der parameters) {
  Der sequence;
  Der tagged;
  Der algorithm;
  Oid hash;
  if (!parameters.read(Der::kSequence, sequence) || !sequence.read(Der::constructed(0), tagged) ||
      !tagged.read(Der::kSequence, algorithm) || !algorithm.read_oid(hash)) {
    return 0;
  }
  auto const number = number_of_signature(to_text(hash));
  return number >= 13 && number <= 15 ? number : 0;
}

bool read_number(Der& der, std::string_view& out) {
  if (!der.read(Der::kInteger, out) || out.empty() || out.size() > kLargestNumber) return false;
  return (static_cast<unsigned char>(out.front()) & 0x80U) == 0;  // none is negative
}

Problem rsa_value(std::string_view bits, Der parameters, Arena& arena, Value& out) {
  Der outer{bits};
  Der sequence;
  std::string_view modulus;
  std::int64_t exponent = 0;
  std::string_view null;
  if (!parameters.read(Der::kNull, null)) return "x509: RSA key missing NULL parameters";
  if (!outer.read(Der::kSequence, sequence)) return "x509: invalid RSA public key";
  if (!read_number(sequence, modulus)) return "x509: invalid RSA modulus";
  if (!sequence.read_small_integer(Der::kInteger, exponent)) {
    return "x509: invalid RSA public exponent";
  }
  if (exponent <= 0) return "x509: RSA public exponent is not a positive number";
  ObjectBuilder key{arena, 2};
  key.add("N", number_value(modulus, arena));
  key.add("E", Value::integer(exponent));
  out = key.finish();
  return {};
}

// Names of curves as a certificate gives them, with the size of a coordinate.
std::size_t coordinate_size(Oid const& curve) {
  auto const text = to_text(curve);
  if (text == "1.3.132.0.33") return 28;
  if (text == "1.2.840.10045.3.1.7") return 32;
  if (text == "1.3.132.0.34") return 48;
  return text == "1.3.132.0.35" ? 66 : 0;
}

Problem ecdsa_value(std::string_view bits, Der parameters, std::string_view info, Arena& arena,
                    Value& out) {
  Oid curve;
  if (!parameters.read_oid(curve)) return "x509: invalid ECDSA parameters";
  auto const size = coordinate_size(curve);
  if (size == 0) return "x509: unsupported elliptic curve";
  auto const* at = bytes_of(info);
  // OpenSSL reads it only where the point is on the curve.
  Owned<EVP_PKEY> const key{d2i_PUBKEY(nullptr, &at, static_cast<long>(info.size()))};
  if (bits.size() != 1 + 2 * size || bits.front() != '\x04' || !key) {
    return "x509: failed to unmarshal elliptic curve point";
  }
  ObjectBuilder object{arena, 3};
  object.add("Curve", ObjectBuilder{arena}.finish());
  object.add("X", number_value(bits.substr(1, size), arena));
  object.add("Y", number_value(bits.substr(1 + size), arena));
  out = object.finish();
  return {};
}

Problem dsa_value(std::string_view bits, Der parameters, Arena& arena, Value& out) {
  Der outer{bits};
  Der sequence;
  std::string_view y;
  if (!read_number(outer, y)) return "x509: invalid DSA public key";
  if (!parameters.read(Der::kSequence, sequence)) return "x509: invalid DSA parameters";
  ObjectBuilder key{arena, 4};
  key.add("Y", number_value(y, arena));
  for (std::string_view const name : {"P", "Q", "G"}) {
    std::string_view number;
    if (!read_number(sequence, number)) return "x509: invalid DSA parameters";
    key.add(name, number_value(number, arena));
  }
  out = key.finish();
  return {};
}

}  // namespace

int signature_algorithm(std::string_view identifier) {
  Der der{identifier};
  Oid oid;
  if (!der.read_oid(oid)) return 0;
  auto const text = to_text(oid);
  if (text == kPss) return pss_algorithm(der);
  auto const number = number_of_signature(text);
  return number >= 13 && number <= 15 ? 0 : number;
}

Problem public_key_value(Der info, Arena& arena, PublicKeyValue& out) {
  Der::Element whole;
  if (!info.read(Der::kSequence, whole)) return "x509: malformed spki";
  Der sequence{whole.content};
  Der algorithm;
  Oid oid;
  std::string bits;
  if (!sequence.read(Der::kSequence, algorithm)) {
    return "x509: malformed public key algorithm identifier";
  }
  if (!algorithm.read_oid(oid)) return "x509: malformed OID";
  if (!sequence.read_bits(bits)) return "x509: malformed subjectPublicKey";
  auto const name = to_text(oid);
  out.key = Value::null();
  if (name == "1.2.840.113549.1.1.1") {
    out.algorithm = 1;
    return rsa_value(bits, algorithm, arena, out.key);
  }
  if (name == "1.2.840.10040.4.1") {
    out.algorithm = 2;
    return dsa_value(bits, algorithm, arena, out.key);
  }
  if (name == "1.2.840.10045.2.1") {
    out.algorithm = 3;
    return ecdsa_value(bits, algorithm, whole.whole, arena, out.key);
  }
  if (name == "1.3.101.112") {
    out.algorithm = 4;
    if (bits.size() != 32) return "x509: wrong Ed25519 public key size";
    out.key = bytes_value(bits, arena);
  }
  return {};
}

}  // namespace sallyport::rego::crypto
