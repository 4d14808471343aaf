// Parts of certificates and keys as the values that policies see: the JSON of Go's structures, with
// Go's names. What is absent is null.
#pragma once

#include "src/rego/crypto/der.hpp"
#include "src/rego/crypto/problem.hpp"
#include "src/rego/value.hpp"

#include <openssl/types.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego::crypto {

inline constexpr std::size_t kLargestNumber = 2048;  // bytes

Value text_value(std::string_view text, Arena& arena);    // malformed UTF-8 becomes U+FFFD
Value bytes_value(std::string_view bytes, Arena& arena);  // base64
Value oid_value(Oid const& oid, Arena& arena);
// Of a number without sign.
Value number_value(std::string_view big_endian, Arena& arena);
Value number_value(BIGNUM const* number, Arena& arena);

// Null where there are none, as a slice of Go that nothing was put into.
Value list_value(std::span<Value const> items, Arena& arena);
Value texts_value(std::span<std::string_view const> texts, Arena& arena);

// pkix.Name, from the content of a Name.
Problem name_value(std::string_view rdn_sequence, Arena& arena, Value& out);

// "2018-03-06T00:15:59Z", from a UTCTime or GeneralizedTime that is read from `der`.
Problem time_value(Der& der, Arena& arena, Value& out);

struct Extension {
  Oid id;
  bool is_critical{false};
  std::string_view value;
};
Problem read_extensions(Der list, std::vector<Extension>& out);
Value extensions_value(std::span<Extension const> extensions, Arena& arena);

// x509.SignatureAlgorithm, from the content of an AlgorithmIdentifier.
int signature_algorithm(std::string_view identifier);

struct PublicKeyValue {
  int algorithm{0};  // x509.PublicKeyAlgorithm
  Value key;         // null where the algorithm is not known
};
// `info` begins with a SubjectPublicKeyInfo.
Problem public_key_value(Der info, Arena& arena, PublicKeyValue& out);

}  // namespace sallyport::rego::crypto
