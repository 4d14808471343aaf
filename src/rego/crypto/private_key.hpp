// Private keys in PEM, and the values that policies see of them.
#pragma once

#include "src/rego/crypto/key.hpp"
#include "src/rego/crypto/problem.hpp"
#include "src/rego/value.hpp"

#include <string_view>
#include <vector>

namespace sallyport::rego::crypto {

// All keys of a text of PEM blocks, or base64 of one. Other blocks are skipped.
Problem private_keys_of_text(std::string_view text, std::vector<Key::Handle>& out);

// The JSON of Go's private keys: {"N": …, "E": …, "D": …, "Primes": […], …}.
Value private_key_value(EVP_PKEY* key, Arena& arena);
// As a JWK. Null where its kind has none.
Value private_key_jwk(EVP_PKEY* key, Arena& arena);

// tls.X509KeyPair: certificates and the key of the first of them, each PEM or base64 of DER.
Problem key_pair_value(std::string_view certificates, std::string_view key, Arena& arena,
                       Value& out);

}  // namespace sallyport::rego::crypto
