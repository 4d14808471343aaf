#include "src/rego/builtins/testing.hpp"
#include "src/rego/crypto/openssl.hpp"

#include "tests/support/certificates.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace sallyport::rego {
namespace {

using sallyport::test::CertificateAuthority;
using sallyport::test::CertificateFiles;
using sallyport::test::CertificateWish;

std::string contents(std::string const& path) {
  std::ostringstream out;
  out << std::ifstream{path}.rdbuf();
  return out.str();
}

std::string as_json(std::string_view text) {
  return to_json(Value::string(text));
}

struct Bench : test::BuiltinBench {
  Bench() {
    now = std::chrono::system_clock::now().time_since_epoch();
    arena.reset();
  }
  Value ask(std::string_view name, std::string const& operands) {
    return call(name, parse("[" + operands + "]").items());
  }
};

// A root and a certificate that it signed, in PEM.
std::string chain_signed_with(EVP_MD const* hash, char const* usage = nullptr) {
  crypto::Owned<EVP_PKEY> const key{EVP_EC_gen("P-256")};
  std::string out;
  for (std::string const name : {"root", "leaf"}) {
    crypto::Owned<X509> const certificate{X509_new()};
    auto* const raw = certificate.get();
    X509_set_version(raw, X509_VERSION_3);
    X509_gmtime_adj(X509_getm_notBefore(raw), -3600);
    X509_gmtime_adj(X509_getm_notAfter(raw), 3600);
    X509_set_pubkey(raw, key.get());
    auto const set_name = [](X509_NAME* where, std::string const& text) {
      X509_NAME_add_entry_by_txt(where, "CN", MBSTRING_UTF8, crypto::bytes_of(text), -1, -1, 0);
    };
    set_name(X509_get_subject_name(raw), name);
    set_name(X509_get_issuer_name(raw), "root");
    auto const add = [raw](int what, char const* value) {
      auto* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value);
      X509_add_ext(raw, extension, -1);
      X509_EXTENSION_free(extension);
    };
    if (name == "root") add(NID_basic_constraints, "critical,CA:TRUE");
    if (name == "leaf" && usage != nullptr) add(NID_ext_key_usage, usage);
    X509_sign(raw, key.get(), hash);
    crypto::Owned<BIO> const memory{BIO_new(BIO_s_mem())};
    PEM_write_bio_X509(memory.get(), raw);
    char* text = nullptr;
    auto const size = BIO_get_mem_data(memory.get(), &text);
    out.append(text, static_cast<std::size_t>(size));
  }
  return out;
}

class X509Builtins : public testing::Test {
 protected:
  std::string chain(CertificateWish const& wish = {}) {
    return contents(authority_.file()) + contents(authority_.issue(wish).certificate);
  }

  // Whether the chain is good, and the members of what comes back.
  std::string verified(std::string const& certificates, std::string const& options = {}) {
    Bench bench;
    auto const name = "crypto.x509.parse_and_verify_certificates";
    auto const answer = options.empty() ? bench.ask(name, as_json(certificates))
                                        : bench.ask(std::string{name} + "_with_options",
                                                    as_json(certificates) + "," + options);
    if (!answer.is_defined()) return "error: " + bench.message;
    if (answer.items()[0].is_false()) return "false";
    return "true, " + std::to_string(answer.items()[1].size());
  }

  CertificateAuthority authority_;
};

TEST_F(X509Builtins, ShowTheMembersOfACertificate) {
  Bench bench;
  auto const pem = contents(
      authority_.issue({.names = "DNS:a.test,IP:10.0.0.1,email:a@b.test,URI:spiffe://a.test/x"})
          .certificate);

  auto const list = bench.ask("crypto.x509.parse_certificates", as_json(pem));

  ASSERT_EQ(list.size(), 1U) << bench.message;
  auto const certificate = list.items()[0];
  auto const member = [&](std::string_view name) { return to_rego(get(certificate, name)); };
  EXPECT_EQ(to_rego(get(get(certificate, "Subject"), "CommonName")), R"("certificate1")");
  EXPECT_EQ(to_rego(get(get(certificate, "Issuer"), "CommonName")), R"("Test authority")");
  EXPECT_EQ(member("DNSNames"), R"(["a.test"])");
  EXPECT_EQ(member("IPAddresses"), R"(["10.0.0.1"])");
  EXPECT_EQ(member("EmailAddresses"), R"(["a@b.test"])");
  EXPECT_EQ(member("URIStrings"), R"(["spiffe://a.test/x"])");
  EXPECT_EQ(to_rego(get(get(certificate, "URIs").items()[0], "Path")), R"("/x")");
  EXPECT_EQ(member("Version"), "3");
  EXPECT_EQ(member("IsCA"), "false");
  EXPECT_EQ(member("SignatureAlgorithm"), "10");
  EXPECT_EQ(member("PublicKeyAlgorithm"), "3");
  EXPECT_EQ(member("ExtKeyUsage"), "null");
}

TEST_F(X509Builtins, VerifyAChainFromItsRoot) {
  EXPECT_EQ(verified(chain()), "true, 2");
}

TEST_F(X509Builtins, RefuseWhatTheRootDidNotSign) {
  EXPECT_EQ(verified(chain({.self_signed = true})), "false");
  EXPECT_EQ(
      verified(contents(CertificateAuthority{}.file()) + contents(authority_.issue().certificate)),
      "false");
  EXPECT_EQ(verified(contents(authority_.file())), "false");
}

TEST_F(X509Builtins, RefuseSignaturesWithHashesThatCollide) {
  EXPECT_EQ(verified(chain_signed_with(EVP_sha256())), "true, 2");
  EXPECT_EQ(verified(chain_signed_with(EVP_sha1())), "false");
}

TEST_F(X509Builtins, HoldTheCertificateToItsUsage) {
  auto const certificates = chain_signed_with(EVP_sha256(), "clientAuth");

  EXPECT_EQ(verified(certificates), "false");
  EXPECT_EQ(verified(certificates, R"({"KeyUsages": ["KeyUsageCodeSigning"]})"), "false");
  EXPECT_EQ(
      verified(certificates, R"({"KeyUsages": ["KeyUsageCodeSigning", "KeyUsageClientAuth"]})"),
      "true, 2");
  EXPECT_EQ(verified(certificates, R"({"KeyUsages": ["KeyUsageAny"]})"), "true, 2");
}

TEST_F(X509Builtins, RefuseCertificatesOutOfTheirTime) {
  EXPECT_EQ(verified(chain({.valid_to = -60})), "false");
  EXPECT_EQ(verified(chain({.valid_from = 600})), "false");
  EXPECT_EQ(verified(chain(), R"({"CurrentTime": 0})"), "false");
}

TEST_F(X509Builtins, HoldTheNameToTheOneThatIsWanted) {
  auto const certificates = chain({.names = "DNS:*.a.test,IP:10.0.0.1"});

  EXPECT_EQ(verified(certificates, R"({"DNSName": "b.a.test"})"), "true, 2");
  EXPECT_EQ(verified(certificates, R"({"DNSName": "10.0.0.1"})"), "true, 2");
  EXPECT_EQ(verified(certificates, R"({"DNSName": "c.b.a.test"})"), "false");
  EXPECT_EQ(verified(certificates, R"({"DNSName": "a.test"})"), "false");
}

TEST_F(X509Builtins, SayWhatIsWrongWithOptions) {
  auto const certificates = chain();

  EXPECT_EQ(verified(certificates, R"({"KeyUsages": ["KeyUsageAny", "x", "y"]})"),
            "error: invalid entries for 'KeyUsages' found: [x y]");
  EXPECT_EQ(verified(certificates, R"({"DNSName": 1})"), "error: 'DNSName' should be a string");
  EXPECT_EQ(verified(certificates, R"({"CurrentTime": 1.5})"),
            "error: 'CurrentTime' should be a valid int64 number");
  EXPECT_EQ(verified(certificates, R"({"Other": 1})"), "error: invalid key option");
}

TEST_F(X509Builtins, JoinACertificateWithItsKey) {
  auto const first = authority_.issue();
  auto const second = authority_.issue();
  auto const ask = [](CertificateFiles const& files, std::string const& key) {
    Bench bench;
    auto const pair = bench.ask("crypto.x509.parse_keypair", as_json(contents(files.certificate)) +
                                                                 "," + as_json(contents(key)));
    return pair.is_defined() ? std::to_string(get(pair, "Certificate").size()) : bench.message;
  };

  EXPECT_EQ(ask(first, first.key), "1");
  EXPECT_EQ(ask(first, second.key), "tls: private key does not match public key");
}

TEST_F(X509Builtins, ShowPrivateKeys) {
  auto const key = as_json(contents(authority_.issue().key));
  Bench bench;

  auto const keys = bench.ask("crypto.parse_private_keys", key);
  auto const jwk = bench.ask("crypto.x509.parse_rsa_private_key", key);

  ASSERT_EQ(keys.size(), 1U);
  EXPECT_TRUE(get(keys.items()[0], "D").is(Kind::Number));
  EXPECT_EQ(to_rego(get(jwk, "crv")), R"("P-256")");
  EXPECT_EQ(get(jwk, "d").size(), 43U);
  EXPECT_EQ(test::result("crypto.parse_private_keys", R"([""])"), "null");
  EXPECT_EQ(test::result("crypto.parse_private_keys", R"(["nope"])"), "[]");
  EXPECT_EQ(test::result("crypto.x509.parse_rsa_private_key", R"([""])"),
            "error: input PEM data was empty");
}

TEST_F(X509Builtins, SurviveCertificatesThatAreCutOrChanged) {
  auto const pem = contents(authority_.issue().certificate);
  Bench bench;
  auto const raw = bench.ask("crypto.x509.parse_certificates", as_json(pem));
  auto const base64 = std::string{get(raw.items()[0], "Raw").as_string()};
  for (std::size_t i = 0; i < base64.size(); i += 4) {
    auto changed = base64;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    test::result("crypto.x509.parse_certificates", "[" + as_json(changed) + "]");
    test::result("crypto.x509.parse_certificates", "[" + as_json(base64.substr(0, i)) + "]");
    test::result("crypto.x509.parse_certificate_request", "[" + as_json(changed) + "]");
  }
}

}  // namespace
}  // namespace sallyport::rego
