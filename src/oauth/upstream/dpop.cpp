#include "src/oauth/upstream/dpop.hpp"

#include "src/base/base64.hpp"
#include "src/base/random_id.hpp"
#include "src/json/parse.hpp"
#include "src/json/write.hpp"
#include "src/oauth/upstream/grant.hpp"
#include "src/oauth/upstream/secure_url.hpp"
#include "src/store/digest.hpp"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <array>

namespace sallyport::oauth::upstream {
namespace {

constexpr std::size_t kNumberSize = 32;  // of P-256
constexpr std::size_t kLongestNonce = 1024;
constexpr std::size_t kMostOrigins = 64;

struct FreeEach {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
  void operator()(BIO* bio) const noexcept { BIO_free(bio); }
  void operator()(BIGNUM* number) const noexcept { BN_free(number); }
};
template <class T>
using Owned = std::unique_ptr<T, FreeEach>;

Error not_made() {
  ERR_clear_error();
  return fail(Errc::Internal, "A key for proofs of possession could not be made.");
}

std::string coordinate(EVP_PKEY const* key, char const* name) {
  BIGNUM* raw = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &raw) != 1) return {};
  Owned<BIGNUM> const number{raw};
  std::array<unsigned char, kNumberSize> bytes{};
  if (BN_bn2binpad(number.get(), bytes.data(), kNumberSize) != kNumberSize) return {};
  return base64::encode_url({reinterpret_cast<char const*>(bytes.data()), bytes.size()});
}

std::string pem_of(EVP_PKEY* key) {
  Owned<BIO> const bio{BIO_new(BIO_s_mem())};
  if (!bio ||
      PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return {};
  }
  char* text = nullptr;
  auto const size = BIO_get_mem_data(bio.get(), &text);
  return {text, static_cast<std::size_t>(size)};
}

int no_password(char*, int, int, void*) {
  return 0;
}

std::string origin_of(std::string_view url) {
  auto const parsed = url::Url::parse(url);
  return parsed ? parsed->origin() : std::string{};
}

}  // namespace

Result<DpopKey> DpopKey::generate() {
  Owned<EVP_PKEY> const key{EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256")};
  if (!key) return not_made();
  return from_pem(Secret{pem_of(key.get())});
}

Result<DpopKey> DpopKey::from_pem(Secret const& pem) {
  SP_TRY(auto signer, PrivateKey::from_pem(pem, "ES256"));
  auto const& text = pem.reveal();
  Owned<BIO> const bio{BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))};
  Owned<EVP_PKEY> const key{bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, &no_password, nullptr)
                                : nullptr};
  if (!key) return not_made();
  auto const x = coordinate(key.get(), OSSL_PKEY_PARAM_EC_PUB_X);
  auto const y = coordinate(key.get(), OSSL_PKEY_PARAM_EC_PUB_Y);
  if (x.empty() || y.empty()) return not_made();
  json::Object jwk{{"kty", "EC"}, {"crv", "P-256"}, {"x", x}, {"y", y}};
  return DpopKey{pem, std::move(signer), std::move(jwk)};
}

// RFC 9449, section 4.2.
Result<std::string> DpopKey::proof(ProofRequest const& request, WallClock::time_point now) const {
  SP_TRY(auto const address, url::Url::parse(request.url));
  json::Object const header{{"typ", "dpop+jwt"}, {"alg", "ES256"}, {"jwk", jwk_}};
  json::Object claims{{"jti", random_id()},
                      {"htm", request.method},
                      {"htu", shown(address)},
                      {"iat", unix_seconds(now)}};
  if (!request.nonce.empty()) claims["nonce"] = request.nonce;
  if (!request.access_token.empty()) claims["ath"] = store::sha256_base64url(request.access_token);
  auto text =
      base64::encode_url(json::to_text(header)) + '.' + base64::encode_url(json::to_text(claims));
  SP_TRY(auto const signature, key_->sign(text));
  return text + '.' + base64::encode_url(signature);
}

std::string DpopNonces::of(std::string_view url) const {
  auto const origin = origin_of(url);
  std::lock_guard const lock{mutex_};
  auto const found = nonces_.find(origin);
  return found == nonces_.end() ? std::string{} : found->second;
}

void DpopNonces::remember(std::string_view url, http::Headers const& answer) {
  auto const* const nonce = answer.find("DPoP-Nonce");
  // RFC 9449, section 8.1: the characters of a scope, without '"' and '\'.
  bool const usable = nonce != nullptr && !nonce->empty() && nonce->size() <= kLongestNonce &&
                      std::ranges::all_of(*nonce, [](char c) {
                        return c > ' ' && c < '\x7F' && c != '"' && c != '\\';
                      });
  if (!usable) return;
  auto origin = origin_of(url);
  std::lock_guard const lock{mutex_};
  if (nonces_.size() >= kMostOrigins) nonces_.clear();
  nonces_[std::move(origin)] = *nonce;
}

std::string nonce_in(std::string_view proof) {
  auto const first = proof.find('.');
  auto const second = first == std::string_view::npos ? first : proof.find('.', first + 1);
  if (second == std::string_view::npos) return {};
  auto const text = base64::decode_url(proof.substr(first + 1, second - first - 1));
  if (!text) return {};
  auto const claims = json::parse(*text, {}, {.depth = 4});
  if (!claims || !claims->is_object()) return {};
  auto const* const nonce = json::find_string(claims->get_object(), "nonce");
  return nonce == nullptr ? std::string{} : std::string{json::view(*nonce)};
}

}  // namespace sallyport::oauth::upstream
