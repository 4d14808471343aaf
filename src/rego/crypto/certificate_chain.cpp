#include "src/rego/crypto/certificate_chain.hpp"

#include "src/rego/crypto/openssl.hpp"

#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <optional>

namespace sallyport::rego::crypto {
namespace {

constexpr int kAnyUsage = 0;
constexpr int kServerUsage = 1;
constexpr std::size_t kMostCertificates = 100;  // building a chain may try them all, at each step

struct FreeChain {
  void operator()(X509_STORE* store) const noexcept { X509_STORE_free(store); }
  void operator()(X509_STORE_CTX* context) const noexcept { X509_STORE_CTX_free(context); }
  void operator()(STACK_OF(X509) * stack) const noexcept { sk_X509_pop_free(stack, X509_free); }
  void operator()(EXTENDED_KEY_USAGE* usages) const noexcept {
    sk_ASN1_OBJECT_pop_free(usages, ASN1_OBJECT_free);
  }
};
template <class T>
using OwnedChain = std::unique_ptr<T, FreeChain>;

Owned<X509> parse(std::string_view der) {
  auto const* at = bytes_of(der);
  return Owned<X509>{d2i_X509(nullptr, &at, static_cast<long>(der.size()))};
}

std::string to_der(X509* certificate) {
  unsigned char* raw = nullptr;
  auto const size = i2d_X509(certificate, &raw);
  Owned<unsigned char> const bytes{raw};
  return size <= 0 ? std::string{} : text_of(raw, static_cast<std::size_t>(size));
}

// By Go's numbers of usages.
constexpr std::array<char const*, 14> kUsages{
    "2.5.29.37.0",
    "1.3.6.1.5.5.7.3.1",
    "1.3.6.1.5.5.7.3.2",
    "1.3.6.1.5.5.7.3.3",
    "1.3.6.1.5.5.7.3.4",
    "1.3.6.1.5.5.7.3.5",
    "1.3.6.1.5.5.7.3.6",
    "1.3.6.1.5.5.7.3.7",
    "1.3.6.1.5.5.7.3.8",
    "1.3.6.1.5.5.7.3.9",
    "1.3.6.1.4.1.311.10.3.3",
    "2.16.840.1.113730.4.1",
    "1.3.6.1.4.1.311.2.1.22",
    "1.3.6.1.4.1.311.61.1.1",
};

std::string name_of(ASN1_OBJECT const* object) {
  std::array<char, 80> buffer{};
  auto const size = OBJ_obj2txt(buffer.data(), buffer.size(), object, 1);
  return size > 0 && static_cast<std::size_t>(size) < buffer.size() ? buffer.data() : "";
}

// A certificate without the extension is for anything.
bool allows(X509* certificate, int usage) {
  OwnedChain<EXTENDED_KEY_USAGE> const usages{static_cast<EXTENDED_KEY_USAGE*>(
      X509_get_ext_d2i(certificate, NID_ext_key_usage, nullptr, nullptr))};
  if (!usages) return true;
  for (int i = 0; i < sk_ASN1_OBJECT_num(usages.get()); ++i) {
    auto const name = name_of(sk_ASN1_OBJECT_value(usages.get(), i));
    if (name == kUsages[kAnyUsage] || name == kUsages[static_cast<std::size_t>(usage)]) return true;
  }
  return false;
}

// Usages nest: each certificate must allow what is asked of the first.
bool chain_allows(STACK_OF(X509) * chain, std::span<int const> usages) {
  auto const is_allowed = [chain](int usage) {
    if (usage == kAnyUsage) return true;
    for (int i = 0; i < sk_X509_num(chain); ++i) {
      if (!allows(sk_X509_value(chain, i), usage)) return false;
    }
    return true;
  };
  return std::ranges::any_of(usages, is_allowed);
}

// SECURITY: hashes that can be collided sign nothing. The root is trusted as it is.
bool has_weak_signature(STACK_OF(X509) * chain) {
  for (int i = 0; i + 1 < sk_X509_num(chain); ++i) {
    int hash = NID_undef;
    X509_get_signature_info(sk_X509_value(chain, i), &hash, nullptr, nullptr, nullptr);
    if (hash == NID_md5 || hash == NID_sha1 || hash == NID_md4 || hash == NID_md2) return true;
  }
  return false;
}

bool is_named(X509* certificate, std::string_view name) {
  std::string text{name};
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
  }
  if (text.find('\0') != std::string::npos) return false;
  if (X509_check_ip_asc(certificate, text.c_str(), 0) == 1) return true;
  return X509_check_host(certificate, text.data(), text.size(),
                         X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT,
                         nullptr) == 1;
}

Problem judge(STACK_OF(X509) * chain, ChainOptions const& options) {
  static constexpr std::array kDefaultUsages{kServerUsage};
  std::span<int const> const usages =
      options.usages.empty() ? std::span<int const>{kDefaultUsages} : std::span{options.usages};
  if (!chain_allows(chain, usages)) {
    return "x509: certificate specifies an incompatible key usage";
  }
  if (has_weak_signature(chain)) return "x509: cannot verify signature: insecure algorithm";
  if (!options.dns_name.empty() && !is_named(sk_X509_value(chain, 0), options.dns_name)) {
    return "x509: certificate is not valid for " + options.dns_name;
  }
  return {};
}

}  // namespace

Problem verify_chain(std::span<std::string const> certificates, ChainOptions const& options,
                     std::vector<std::string>& chain) {
  if (certificates.size() < 2) {
    return "operand 1 must supply at least two certificates to be able to verify";
  }
  if (certificates.size() > kMostCertificates) return "x509: too many certificates";
  ErrorsForgotten const forgotten;
  OwnedChain<X509_STORE> const store{X509_STORE_new()};
  OwnedChain<STACK_OF(X509)> const intermediates{sk_X509_new_null()};
  OwnedChain<X509_STORE_CTX> const context{X509_STORE_CTX_new()};
  auto const root = parse(certificates.front());
  auto const leaf = parse(certificates.back());
  if (!store || !intermediates || !context || !root || !leaf) return "x509: malformed certificate";
  X509_STORE_add_cert(store.get(), root.get());
  for (auto const& der : certificates.subspan(1, certificates.size() - 2)) {
    auto certificate = parse(der);
    if (!certificate) return "x509: malformed certificate";
    if (sk_X509_push(intermediates.get(), certificate.get()) > 0) certificate.release();
  }
  if (X509_STORE_CTX_init(context.get(), store.get(), leaf.get(), intermediates.get()) != 1) {
    return "x509: out of memory";
  }
  // A root need not have signed itself.
  X509_STORE_CTX_set_flags(context.get(), X509_V_FLAG_PARTIAL_CHAIN);
  auto const seconds = std::chrono::floor<std::chrono::seconds>(options.time).count();
  X509_STORE_CTX_set_time(context.get(), 0, static_cast<time_t>(seconds));
  if (X509_verify_cert(context.get()) != 1) {
    return std::string{"x509: "} +
           X509_verify_cert_error_string(X509_STORE_CTX_get_error(context.get()));
  }
  auto* const found = X509_STORE_CTX_get0_chain(context.get());
  if (auto problem = judge(found, options); !problem.empty()) return problem;
  for (int i = 0; i < sk_X509_num(found); ++i) chain.push_back(to_der(sk_X509_value(found, i)));
  return {};
}

}  // namespace sallyport::rego::crypto
