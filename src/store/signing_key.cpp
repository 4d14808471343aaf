#include "src/store/signing_key.hpp"

#include "src/base/assert.hpp"
#include "src/store/digest.hpp"
#include "src/store/private_file.hpp"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <array>
#include <utility>

namespace sallyport::store {
namespace {

constexpr std::size_t kKeySize = 32;
constexpr std::size_t kSignatureSize = 64;

struct FreeBio {
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;

struct FreeDigest {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreeDigest>;

Bio reader_of(std::string_view text) {
  return Bio{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  auto const size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

unsigned char const* octets_of(std::string_view text) {
  return reinterpret_cast<unsigned char const*>(text.data());
}

std::shared_ptr<EVP_PKEY> owned(EVP_PKEY* key) {
  return {key, FreeKey{}};
}

// Never asks on a terminal for the password of an encrypted key.
int no_password(char*, int, int, void*) {
  return -1;
}

}  // namespace

void FreeKey::operator()(EVP_PKEY* key) const noexcept {
  EVP_PKEY_free(key);
}

PublicKey::PublicKey(std::shared_ptr<EVP_PKEY> key) : key_{std::move(key)} {
  std::array<unsigned char, kKeySize> raw{};
  std::size_t size = raw.size();
  auto const done = EVP_PKEY_get_raw_public_key(key_.get(), raw.data(), &size);
  SP_ASSERT(done == 1 && size == raw.size(), "an Ed25519 key has 32 public bytes");
  id_ = sha256_hex({reinterpret_cast<char const*>(raw.data()), raw.size()});
}

Result<PublicKey> PublicKey::parse(std::string_view pem) {
  auto key = owned(PEM_read_bio_PUBKEY(reader_of(pem).get(), nullptr, no_password, nullptr));
  if (key && EVP_PKEY_get_base_id(key.get()) == EVP_PKEY_ED25519) return PublicKey{std::move(key)};
  return fail(Errc::InvalidInput, "There is no public Ed25519 key (PEM) in the file.");
}

Result<PublicKey> PublicKey::read(std::filesystem::path const& file) {
  SP_TRY(auto const pem, read_small_file(file));
  return parse(pem);
}

bool PublicKey::verifies(std::string_view text, std::string_view signature) const {
  DigestContext const context{EVP_MD_CTX_new()};
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_.get()) == 1 &&
         EVP_DigestVerify(context.get(), octets_of(signature), signature.size(), octets_of(text),
                          text.size()) == 1;
}

std::string PublicKey::pem() const {
  Bio const bio{BIO_new(BIO_s_mem())};
  auto const written = PEM_write_bio_PUBKEY(bio.get(), key_.get());
  SP_ASSERT(written == 1, "a key can be written to memory");
  return text_of(bio.get());
}

SigningKey SigningKey::random() {
  auto key = owned(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  SP_ASSERT(key != nullptr, "OpenSSL has Ed25519");
  return SigningKey{std::move(key)};
}

Result<SigningKey> SigningKey::read(std::filesystem::path const& file) {
  SP_TRY(auto const pem, read_small_file(file, Readers::OwnerOnly));
  auto key = owned(PEM_read_bio_PrivateKey(reader_of(pem).get(), nullptr, no_password, nullptr));
  if (key && EVP_PKEY_get_base_id(key.get()) == EVP_PKEY_ED25519) return SigningKey{std::move(key)};
  return fail(Errc::InvalidInput, "There is no private Ed25519 key (PEM) in the file.");
}

Result<SigningKey> SigningKey::create(std::filesystem::path const& file) {
  auto const key = random();
  Bio const bio{BIO_new(BIO_s_mem())};
  auto const written = PEM_write_bio_PKCS8PrivateKey(bio.get(), key.public_.key_.get(), nullptr,
                                                     nullptr, 0, nullptr, nullptr);
  SP_ASSERT(written == 1, "a key can be written to memory");
  SP_CHECK(write_new_file(file, text_of(bio.get())));
  return key;
}

Sha256 SigningKey::derive(std::string_view label) const {
  std::array<unsigned char, kKeySize> raw{};
  std::size_t size = raw.size();
  auto const done = EVP_PKEY_get_raw_private_key(public_.key_.get(), raw.data(), &size);
  SP_ASSERT(done == 1 && size == raw.size(), "an Ed25519 key has 32 private bytes");
  auto const secret = hmac_sha256({reinterpret_cast<char const*>(raw.data()), raw.size()}, label);
  OPENSSL_cleanse(raw.data(), raw.size());
  return secret;
}

std::string SigningKey::sign(std::string_view text) const {
  DigestContext const context{EVP_MD_CTX_new()};
  std::string signature(kSignatureSize, '\0');
  std::size_t size = signature.size();
  bool const done =
      EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, public_.key_.get()) == 1 &&
      EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     octets_of(text), text.size()) == 1;
  SP_ASSERT(done && size == kSignatureSize, "signing does not fail");
  return signature;
}

}  // namespace sallyport::store
