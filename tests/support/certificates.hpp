// A certificate authority that exists only in the test, and the certificates it gives out. Nothing
// of it is in the repository.
#pragma once

#include "tests/support/temp_folder.hpp"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <memory>
#include <string>

namespace sallyport::test {

struct CertificateFiles {
  std::string certificate;  // paths of PEM files
  std::string key;
};

struct CertificateWish {
  std::string names{"DNS:localhost,IP:127.0.0.1"};  // as openssl spells subjectAltName
  long valid_from{-3600};                           // seconds from now
  long valid_to{3600};
  bool self_signed{false};
};

class CertificateAuthority {
 public:
  CertificateAuthority() : key_{EVP_EC_gen("P-256")}, certificate_{X509_new()} {
    describe(certificate_.get(), key_.get(), "Test authority", {});
    X509_set_issuer_name(certificate_.get(), X509_get_subject_name(certificate_.get()));
    extend(certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
    X509_sign(certificate_.get(), key_.get(), EVP_sha256());
    write("authority.crt", certificate_.get());
  }

  // For a client's settings: trusts what issue() gave, but for the self-signed.
  std::string file() const { return folder_.file("authority.crt"); }

  CertificateFiles issue(CertificateWish const& wish = {}) {
    auto const name = "certificate" + std::to_string(++issued_);
    Key const key{EVP_EC_gen("P-256")};
    Certificate const certificate{X509_new()};
    describe(certificate.get(), key.get(), name, wish);
    auto* const issuer = wish.self_signed ? certificate.get() : certificate_.get();
    X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer));
    extend(certificate.get(), NID_subject_alt_name, wish.names);
    X509_sign(certificate.get(), wish.self_signed ? key.get() : key_.get(), EVP_sha256());
    write(name + ".crt", certificate.get());
    auto* const pem = std::fopen(folder_.file(name + ".key").c_str(), "w");
    PEM_write_PrivateKey(pem, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    std::fclose(pem);
    return {folder_.file(name + ".crt"), folder_.file(name + ".key")};
  }

 private:
  struct Free {
    void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
    void operator()(X509* certificate) const { X509_free(certificate); }
  };
  using Key = std::unique_ptr<EVP_PKEY, Free>;
  using Certificate = std::unique_ptr<X509, Free>;

  void describe(X509* certificate, EVP_PKEY* key, std::string const& name,
                CertificateWish const& wish) {
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), ++serial_);
    X509_gmtime_adj(X509_getm_notBefore(certificate), wish.valid_from);
    X509_gmtime_adj(X509_getm_notAfter(certificate), wish.valid_to);
    X509_set_pubkey(certificate, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8,
                               reinterpret_cast<unsigned char const*>(name.c_str()), -1, -1, 0);
  }

  static void extend(X509* certificate, int what, std::string const& value) {
    auto* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str());
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
  }

  void write(std::string const& name, X509* certificate) const {
    auto* const file = std::fopen(folder_.file(name).c_str(), "w");
    PEM_write_X509(file, certificate);
    std::fclose(file);
  }

  TempFolder folder_;
  int serial_{0};
  int issued_{0};
  Key key_;
  Certificate certificate_;
};

}  // namespace sallyport::test
