#include "src/oauth/private_key.hpp"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <array>
#include <optional>

namespace sallyport::oauth {
namespace {

constexpr int kMinimumRsaBits = 2048;

struct FreeEach {
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
  void operator()(ECDSA_SIG* signature) const noexcept { ECDSA_SIG_free(signature); }
};
template <class T>
using Owned = std::unique_ptr<T, FreeEach>;

unsigned char* bytes_of(std::string& text) {
  return reinterpret_cast<unsigned char*>(text.data());
}

// Without one, OpenSSL asks for a password at the terminal.
int no_password(char*, int, int, void*) {
  return 0;
}

std::optional<KeyType> curve_type(EVP_PKEY const* key) {
  std::array<char, 64> name{};
  if (EVP_PKEY_get_group_name(key, name.data(), name.size(), nullptr) != 1) return std::nullopt;
  std::string_view const group{name.data()};
  if (group == "prime256v1") return KeyType::P256;
  if (group == "secp384r1") return KeyType::P384;
  if (group == "secp521r1") return KeyType::P521;
  return std::nullopt;
}

std::optional<KeyType> type_of(EVP_PKEY const* key) {
  switch (EVP_PKEY_get_base_id(key)) {
    case EVP_PKEY_RSA: return KeyType::Rsa;
    case EVP_PKEY_EC: return curve_type(key);
    case EVP_PKEY_ED25519: return KeyType::Ed25519;
    default: return std::nullopt;
  }
}

Algorithm usual_algorithm(KeyType type) {
  switch (type) {
    case KeyType::Rsa: return Algorithm::Rs256;
    case KeyType::P256: return Algorithm::Es256;
    case KeyType::P384: return Algorithm::Es384;
    case KeyType::P521: return Algorithm::Es512;
    case KeyType::Ed25519: return Algorithm::EdDsa;
  }
  return Algorithm::Rs256;
}

// The size of one number of an ECDSA signature; 0 for the other kinds.
std::size_t number_size(KeyType type) {
  switch (type) {
    case KeyType::P256: return 32;
    case KeyType::P384: return 48;
    case KeyType::P521: return 66;
    case KeyType::Rsa:
    case KeyType::Ed25519: return 0;
  }
  return 0;
}

// RFC 7518, section 3.4.
std::optional<std::string> side_by_side(std::string const& der, std::size_t size) {
  auto const* at = reinterpret_cast<unsigned char const*>(der.data());
  Owned<ECDSA_SIG> const numbers{d2i_ECDSA_SIG(nullptr, &at, static_cast<long>(der.size()))};
  if (!numbers) return std::nullopt;
  std::string raw(2 * size, '\0');
  auto const width = static_cast<int>(size);
  bool const good =
      BN_bn2binpad(ECDSA_SIG_get0_r(numbers.get()), bytes_of(raw), width) == width &&
      BN_bn2binpad(ECDSA_SIG_get0_s(numbers.get()), bytes_of(raw) + size, width) == width;
  return good ? std::optional{std::move(raw)} : std::nullopt;
}

bool prepare(EVP_MD_CTX* context, Algorithm algorithm, EVP_PKEY* key) {
  EVP_PKEY_CTX* parameters = nullptr;
  if (EVP_DigestSignInit_ex(context, &parameters, digest_name_of(algorithm), nullptr, nullptr, key,
                            nullptr) != 1) {
    return false;
  }
  return !is_pss(algorithm) ||
         (EVP_PKEY_CTX_set_rsa_padding(parameters, RSA_PKCS1_PSS_PADDING) > 0 &&
          EVP_PKEY_CTX_set_rsa_pss_saltlen(parameters, RSA_PSS_SALTLEN_DIGEST) > 0);
}

std::optional<std::string> signature_of(EVP_PKEY* key, Algorithm algorithm, std::string_view text) {
  Owned<EVP_MD_CTX> const context{EVP_MD_CTX_new()};
  if (!context || !prepare(context.get(), algorithm, key)) return std::nullopt;
  auto const* const bytes = reinterpret_cast<unsigned char const*>(text.data());
  std::size_t size = 0;
  if (EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) != 1) return std::nullopt;
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), bytes_of(signature), &size, bytes, text.size()) != 1) {
    return std::nullopt;
  }
  signature.resize(size);
  auto const width = number_size(key_type_of(algorithm));
  return width == 0 ? std::optional{std::move(signature)} : side_by_side(signature, width);
}

}  // namespace

void PrivateKey::Free::operator()(EVP_PKEY* key) const noexcept {
  EVP_PKEY_free(key);
}

Result<PrivateKey> PrivateKey::from_pem(Secret const& pem, std::string_view algorithm) {
  auto const& text = pem.reveal();
  Owned<BIO> const bio{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
  Handle handle{bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, &no_password, nullptr) : nullptr};
  ERR_clear_error();
  if (!handle) {
    return fail(Errc::InvalidInput, "must be a private key in PEM format, without a password");
  }
  auto const type = type_of(handle.get());
  if (!type || (*type == KeyType::Rsa && EVP_PKEY_get_bits(handle.get()) < kMinimumRsaBits)) {
    return fail(Errc::InvalidInput,
                "must be an RSA key of 2048 bits or more, P-256, P-384, P-521 or Ed25519");
  }
  if (algorithm.empty()) return PrivateKey{usual_algorithm(*type), std::move(handle)};
  auto const chosen = parse_algorithm(algorithm);
  if (!chosen || key_type_of(*chosen) != *type) {
    return fail(Errc::InvalidInput, "is not a key for that algorithm");
  }
  return PrivateKey{*chosen, std::move(handle)};
}

Result<std::string> PrivateKey::sign(std::string_view text) const {
  auto signature = signature_of(handle_.get(), algorithm_, text);
  ERR_clear_error();
  if (!signature) return fail(Errc::Internal, "The signature could not be made.");
  return *std::move(signature);
}

}  // namespace sallyport::oauth
