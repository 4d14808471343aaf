#include "src/store/aead_sealer.hpp"

#include "src/base/assert.hpp"
#include "src/base/base64.hpp"
#include "src/base/random_id.hpp"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <climits>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace sallyport::store {
namespace {

constexpr char kVersion = 1;
constexpr std::size_t kNonceSize = 12;
constexpr std::size_t kTagSize = 16;
constexpr std::size_t kHeadSize = 1 + kNonceSize;
constexpr std::size_t kMinimumSecretSize = 32;

struct FreeCipher {
  void operator()(EVP_CIPHER_CTX* context) const noexcept { EVP_CIPHER_CTX_free(context); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

struct FreeKdf {
  void operator()(EVP_KDF* kdf) const noexcept { EVP_KDF_free(kdf); }
  void operator()(EVP_KDF_CTX* context) const noexcept { EVP_KDF_CTX_free(context); }
};

unsigned char const* bytes_of(std::string_view text) {
  return reinterpret_cast<unsigned char const*>(text.data());
}

unsigned char* bytes_of(std::string& text, std::size_t offset) {
  return reinterpret_cast<unsigned char*>(text.data()) + offset;
}

int size_of(std::string_view text) {
  SP_ASSERT(text.size() < INT_MAX, "sealed texts are small");
  return static_cast<int>(text.size());
}

CipherContext start(SealingKey const& key, std::string_view nonce, int encrypt) {
  CipherContext context{EVP_CIPHER_CTX_new()};
  auto const ready = EVP_CipherInit_ex2(context.get(), EVP_aes_256_gcm(), key.data(),
                                        bytes_of(nonce), encrypt, nullptr);
  SP_ASSERT(ready == 1, "OpenSSL has AES-256-GCM");
  return context;
}

// The version is authenticated, too: a later format cannot be passed off as this one.
void authenticate(EVP_CIPHER_CTX* cipher, std::string_view version, std::string_view context) {
  for (auto const part : {version, context}) {
    int ignored = 0;
    auto const done = EVP_CipherUpdate(cipher, nullptr, &ignored, bytes_of(part), size_of(part));
    SP_ASSERT(done == 1, "associated data is accepted");
  }
}

std::optional<std::string> open_with(SealingKey const& key, std::string_view sealed,
                                     std::string_view context) {
  auto const cipher = start(key, sealed.substr(1, kNonceSize), 0);
  authenticate(cipher.get(), sealed.substr(0, 1), context);
  auto const hidden = sealed.substr(kHeadSize, sealed.size() - kHeadSize - kTagSize);
  std::string tag{sealed.substr(sealed.size() - kTagSize)};
  std::string text(hidden.size() + 1, '\0');  // never empty, so that there is a place to write to
  int written = 0;
  int rest = 0;
  if (EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_SET_TAG, kTagSize, tag.data()) != 1 ||
      EVP_CipherUpdate(cipher.get(), bytes_of(text, 0), &written, bytes_of(hidden),
                       size_of(hidden)) != 1 ||
      EVP_CipherFinal_ex(cipher.get(), bytes_of(text, hidden.size()), &rest) != 1) {
    return std::nullopt;
  }
  text.resize(hidden.size());
  return text;
}

}  // namespace

SealingKey SealingKey::random() {
  SealingKey key;
  fill_random(key.bytes_.data(), key.bytes_.size());
  return key;
}

Result<SealingKey> SealingKey::derive(Secret const& secret) {
  if (secret.reveal().size() < kMinimumSecretSize) {
    return fail(Errc::InvalidInput, "A sealing secret must have at least 32 random bytes.");
  }
  std::string material = secret.reveal();
  std::string digest = "SHA256";
  std::string purpose = "sallyport sealer 1";
  std::array<OSSL_PARAM, 4> const parameters = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, material.data(), material.size()),
      OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, purpose.data(), purpose.size()),
      OSSL_PARAM_construct_end()};
  std::unique_ptr<EVP_KDF, FreeKdf> const kdf{EVP_KDF_fetch(nullptr, "HKDF", nullptr)};
  std::unique_ptr<EVP_KDF_CTX, FreeKdf> const context{EVP_KDF_CTX_new(kdf.get())};
  SealingKey key;
  auto const derived =
      EVP_KDF_derive(context.get(), key.bytes_.data(), key.bytes_.size(), parameters.data());
  OPENSSL_cleanse(material.data(), material.size());
  SP_ASSERT(derived == 1, "OpenSSL has HKDF");
  return key;
}

SealingKey::~SealingKey() {
  OPENSSL_cleanse(bytes_.data(), bytes_.size());
}

AeadSealer::AeadSealer(SealingKey key, std::vector<SealingKey> older_keys)
    : keys_{std::move(older_keys)} {
  keys_.insert(keys_.begin(), key);
}

std::string AeadSealer::seal(std::string_view text, std::string_view context) const {
  std::string sealed(kHeadSize + text.size() + kTagSize, '\0');
  sealed[0] = kVersion;
  fill_random(sealed.data() + 1, kNonceSize);
  std::string_view const head{sealed.data(), kHeadSize};
  auto const cipher = start(keys_.front(), head.substr(1), 1);
  authenticate(cipher.get(), head.substr(0, 1), context);
  int written = 0;
  int rest = 0;
  bool const done =
      EVP_CipherUpdate(cipher.get(), bytes_of(sealed, kHeadSize), &written, bytes_of(text),
                       size_of(text)) == 1 &&
      EVP_CipherFinal_ex(cipher.get(), bytes_of(sealed, kHeadSize + text.size()), &rest) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_GET_TAG, kTagSize,
                          bytes_of(sealed, kHeadSize + text.size())) == 1;
  SP_ASSERT(done, "encryption does not fail");
  return base64::encode_url(sealed);
}

Result<std::string> AeadSealer::open(std::string_view sealed, std::string_view context) const {
  auto const bytes = base64::decode_url(sealed);
  if (bytes && bytes->size() >= kHeadSize + kTagSize && bytes->front() == kVersion) {
    for (auto const& key : keys_) {
      if (auto text = open_with(key, *bytes, context)) return *std::move(text);
    }
  }
  // One message for every reason: a peer that guesses learns nothing from it.
  return fail(Errc::InvalidInput, "The sealed value is not valid.");
}

}  // namespace sallyport::store
