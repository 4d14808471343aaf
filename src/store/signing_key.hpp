// Ed25519 (RFC 8032): who holds the key signs, who holds its public half can tell.
//
// Keys are PEM files (PKCS #8 and SubjectPublicKeyInfo), so that openssl(1) reads them.
#pragma once

#include "src/base/result.hpp"
#include "src/store/digest.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

using EVP_PKEY = struct evp_pkey_st;

namespace sallyport::store {

struct FreeKey {
  void operator()(EVP_PKEY* key) const noexcept;
};

class PublicKey {
 public:
  // Fails with InvalidInput when there is no such key in `pem`.
  static Result<PublicKey> parse(std::string_view pem);
  static Result<PublicKey> read(std::filesystem::path const& file);

  bool verifies(std::string_view text, std::string_view signature) const;
  // SHA-256 of its 32 bytes, in hex.
  std::string const& id() const noexcept { return id_; }
  std::string pem() const;

 private:
  friend class SigningKey;
  explicit PublicKey(std::shared_ptr<EVP_PKEY> key);

  std::shared_ptr<EVP_PKEY> key_;
  std::string id_;
};

class SigningKey {
 public:
  static SigningKey random();
  // Fails with InvalidInput when the file cannot be read, holds no such key, or others may read it.
  static Result<SigningKey> read(std::filesystem::path const& file);
  // A new key in a new file of mode 0600. Fails with InvalidInput when there is one already.
  static Result<SigningKey> create(std::filesystem::path const& file);

  std::string sign(std::string_view text) const;
  // A secret for another use: the same for the same label, and no help in finding the key.
  Sha256 derive(std::string_view label) const;
  PublicKey const& public_key() const noexcept { return public_; }

 private:
  explicit SigningKey(std::shared_ptr<EVP_PKEY> key) : public_{std::move(key)} {}

  PublicKey public_;  // OpenSSL's key has both halves
};

}  // namespace sallyport::store
