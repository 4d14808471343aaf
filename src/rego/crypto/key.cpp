#include "src/rego/crypto/key.hpp"

#include "src/rego/crypto/openssl.hpp"
#include "src/rego/crypto/pem.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace sallyport::rego::crypto {
namespace {

constexpr int kSmallestRsa = 1024;  // bits; Go verifies nothing below

constexpr std::array kAlgorithms{
    Algorithm{"HS256", Family::Hmac, Hash::Sha256},
    Algorithm{"HS384", Family::Hmac, Hash::Sha384},
    Algorithm{"HS512", Family::Hmac, Hash::Sha512},
    Algorithm{"RS256", Family::Rsa, Hash::Sha256},
    Algorithm{"RS384", Family::Rsa, Hash::Sha384},
    Algorithm{"RS512", Family::Rsa, Hash::Sha512},
    Algorithm{"PS256", Family::RsaPss, Hash::Sha256},
    Algorithm{"PS384", Family::RsaPss, Hash::Sha384},
    Algorithm{"PS512", Family::RsaPss, Hash::Sha512},
    Algorithm{"ES256", Family::Ecdsa, Hash::Sha256},
    Algorithm{"ES384", Family::Ecdsa, Hash::Sha384},
    Algorithm{"ES512", Family::Ecdsa, Hash::Sha512},
    Algorithm{"EdDSA", Family::EdDsa, Hash::Sha512},
};

char const* digest_name(Algorithm const& algorithm) noexcept {
  if (algorithm.family == Family::EdDsa) return nullptr;
  if (algorithm.hash == Hash::Sha256) return "SHA256";
  return algorithm.hash == Hash::Sha384 ? "SHA384" : "SHA512";
}

bool set_padding(EVP_PKEY_CTX* context, Algorithm const& algorithm, int salt) {
  if (algorithm.family != Family::RsaPss) return true;
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) > 0 &&
         EVP_PKEY_CTX_set_rsa_pss_saltlen(context, salt) > 0;
}

// Tokens carry the two numbers one after the other (RFC 7518, section 3.4); OpenSSL wants DER.
std::optional<std::string> to_der(std::string_view signature) {
  Owned<ECDSA_SIG> const numbers{ECDSA_SIG_new()};
  auto r = number_of(signature.substr(0, signature.size() / 2));
  auto s = number_of(signature.substr(signature.size() / 2));
  if (!numbers || !r || !s) return std::nullopt;
  ECDSA_SIG_set0(numbers.get(), r.release(), s.release());
  unsigned char* raw = nullptr;
  auto const size = i2d_ECDSA_SIG(numbers.get(), &raw);
  Owned<unsigned char> const der{raw};
  if (size <= 0) return std::nullopt;
  return text_of(raw, static_cast<std::size_t>(size));
}

std::optional<std::string> from_der(std::string_view der, int bits) {
  auto const* at = bytes_of(der);
  Owned<ECDSA_SIG> const numbers{d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()))};
  if (!numbers) return std::nullopt;
  auto const size = (bits + 7) / 8;
  std::string out(static_cast<std::size_t>(size) * 2, '\0');
  auto* const bytes = reinterpret_cast<unsigned char*>(out.data());
  if (BN_bn2binpad(ECDSA_SIG_get0_r(numbers.get()), bytes, size) < 0 ||
      BN_bn2binpad(ECDSA_SIG_get0_s(numbers.get()), bytes + size, size) < 0) {
    return std::nullopt;
  }
  return out;
}

Keys one_key(Key::Handle handle, std::string problem) {
  Keys keys;
  if (!handle) {
    keys.problem = std::move(problem);
    return keys;
  }
  keys.keys.push_back({.algorithm = {}, .id = {}, .key = Key{std::move(handle)}});
  return keys;
}

Keys key_of_certificate(std::string_view der) {
  auto const* at = bytes_of(der);
  Owned<X509> const certificate{d2i_X509(nullptr, &at, static_cast<long>(der.size()))};
  if (!certificate || at != bytes_of(der) + der.size()) {
    return {.keys = {},
            .problem = "failed to parse a PEM certificate: x509: malformed certificate"};
  }
  return one_key(Key::Handle{X509_get_pubkey(certificate.get())},
                 "failed to parse a PEM certificate: x509: unsupported public key");
}

Keys key_of_public_key(std::string_view der) {
  auto const* at = bytes_of(der);
  Key::Handle handle{d2i_PUBKEY(nullptr, &at, static_cast<long>(der.size()))};
  if (at != bytes_of(der) + der.size()) handle = nullptr;
  return one_key(std::move(handle), "failed to parse a PEM public key: asn1: structure error");
}

}  // namespace

Algorithm const* find_algorithm(std::string_view name) noexcept {
  auto const found = std::ranges::find(kAlgorithms, name, &Algorithm::name);
  return found == kAlgorithms.end() ? nullptr : &*found;
}

void Key::Free::operator()(EVP_PKEY* key) const noexcept {
  EVP_PKEY_free(key);
}

bool Key::suits(Algorithm const& algorithm) const noexcept {
  if (algorithm.family == Family::Hmac) return secret_.has_value();
  if (!handle_) return false;
  auto const type = EVP_PKEY_get_base_id(handle_.get());
  switch (algorithm.family) {
    case Family::Hmac: return false;
    case Family::Rsa:
    case Family::RsaPss:
      return type == EVP_PKEY_RSA && EVP_PKEY_get_bits(handle_.get()) >= kSmallestRsa;
    case Family::Ecdsa: return type == EVP_PKEY_EC;
    case Family::EdDsa: return type == EVP_PKEY_ED25519;
  }
  return false;
}

bool Key::verify(Algorithm const& algorithm, std::string_view text,
                 std::string_view signature) const {
  if (!suits(algorithm)) return false;
  if (algorithm.family == Family::Hmac) {
    return equal_in_constant_time(hmac(algorithm.hash, *secret_, text), signature);
  }
  ErrorsForgotten const forgotten;
  std::optional<std::string> der;
  if (algorithm.family == Family::Ecdsa) {
    // A signature cannot be larger than its curve; bounds the work on what a peer sent.
    if (signature.size() > 4096) return false;
    der = to_der(signature);
    if (!der) return false;
    signature = *der;
  }
  Owned<EVP_MD_CTX> const context{EVP_MD_CTX_new()};
  EVP_PKEY_CTX* settings = nullptr;
  return context &&
         EVP_DigestVerifyInit_ex(context.get(), &settings, digest_name(algorithm), nullptr, nullptr,
                                 handle_.get(), nullptr) == 1 &&
         set_padding(settings, algorithm, RSA_PSS_SALTLEN_AUTO) &&
         EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(text),
                          text.size()) == 1;
}

std::optional<std::string> Key::sign(Algorithm const& algorithm, std::string_view text) const {
  if (!suits(algorithm)) return std::nullopt;
  if (algorithm.family == Family::Hmac) return hmac(algorithm.hash, *secret_, text);
  if (!is_private_) return std::nullopt;
  ErrorsForgotten const forgotten;
  Owned<EVP_MD_CTX> const context{EVP_MD_CTX_new()};
  EVP_PKEY_CTX* settings = nullptr;
  if (!context ||
      EVP_DigestSignInit_ex(context.get(), &settings, digest_name(algorithm), nullptr, nullptr,
                            handle_.get(), nullptr) != 1 ||
      !set_padding(settings, algorithm, RSA_PSS_SALTLEN_DIGEST)) {
    return std::nullopt;
  }
  std::size_t size = 0;
  if (EVP_DigestSign(context.get(), nullptr, &size, bytes_of(text), text.size()) != 1) {
    return std::nullopt;
  }
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     bytes_of(text), text.size()) != 1) {
    return std::nullopt;
  }
  signature.resize(size);
  if (algorithm.family != Family::Ecdsa) return signature;
  return from_der(signature, EVP_PKEY_get_bits(handle_.get()));
}

Keys keys_of_text(std::string_view text) {
  ErrorsForgotten const forgotten;
  auto rest = text;
  if (auto const block = next_pem_block(rest)) {
    if (!rest.empty()) return {.keys = {}, .problem = "extra data after a PEM certificate block"};
    if (block->type == "CERTIFICATE") return key_of_certificate(block->bytes);
    if (block->type == "PUBLIC KEY") return key_of_public_key(block->bytes);
    return {.keys = {}, .problem = "failed to extract a Key from the PEM certificate"};
  }
  auto keys = keys_of_jwk(text);
  if (!keys.problem.empty()) keys.problem = "failed to parse a JWK key (set): " + keys.problem;
  // Keys for something that is unknown here, such as encryption, are left out.
  std::erase_if(keys.keys, [](NamedKey const& key) {
    return !key.algorithm.empty() && find_algorithm(key.algorithm) == nullptr;
  });
  return keys;
}

}  // namespace sallyport::rego::crypto
