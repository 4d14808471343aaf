#include "src/rego/build.hpp"
#include "src/rego/crypto/base64.hpp"
#include "src/rego/crypto/certificate.hpp"
#include "src/rego/crypto/openssl.hpp"
#include "src/rego/crypto/pem.hpp"
#include "src/rego/crypto/private_key.hpp"

namespace sallyport::rego::crypto {
namespace {

constexpr std::string_view kBegin = "-----BEGIN ";

// The text itself where it is PEM, otherwise what its base64 holds.
Problem unwrap(std::string_view text, std::string& out) {
  out = text;
  if (text.starts_with(kBegin)) return {};
  auto decoded = decode_base64(text, Base64::Standard);
  out = std::move(decoded.bytes);
  return std::move(decoded.problem);
}

Problem read_certificates(std::string_view text, std::vector<std::string>& out) {
  std::string bytes;
  if (auto problem = unwrap(text, bytes); !problem.empty()) return problem;
  if (!bytes.starts_with(kBegin)) {
    out.push_back(std::move(bytes));
    return {};
  }
  std::string_view rest{bytes};
  while (auto block = next_pem_block(rest)) {
    if (block->type == "CERTIFICATE") out.push_back(std::move(block->bytes));
  }
  return out.empty() ? "tls: failed to find any PEM data in certificate input" : "";
}

// The first block that holds a key, of whichever kind.
Problem read_key(std::string_view text, Key::Handle& out) {
  std::string bytes;
  if (auto problem = unwrap(text, bytes); !problem.empty()) return problem;
  if (bytes.starts_with(kBegin)) {
    std::string_view rest{bytes};
    auto block = next_pem_block(rest);
    while (block && block->type != "PRIVATE KEY" && !block->type.ends_with(" PRIVATE KEY")) {
      block = next_pem_block(rest);
    }
    if (!block) return "tls: failed to find any PEM data in key input";
    bytes = std::move(block->bytes);
  }
  auto const* at = bytes_of(bytes);
  out.reset(d2i_AutoPrivateKey(nullptr, &at, static_cast<long>(bytes.size())));
  return out ? "" : "tls: failed to parse private key";
}

}  // namespace

Problem key_pair_value(std::string_view certificates, std::string_view key, Arena& arena,
                       Value& out) {
  ErrorsForgotten const forgotten;
  std::vector<std::string> chain;
  Key::Handle private_key;
  Value leaf;
  if (auto problem = read_certificates(certificates, chain); !problem.empty()) return problem;
  if (auto problem = read_key(key, private_key); !problem.empty()) return problem;
  if (auto problem = certificate_value(chain.front(), UriStrings::Without, arena, leaf);
      !problem.empty()) {
    return problem;
  }
  auto const* at = bytes_of(chain.front());
  Owned<X509> const certificate{d2i_X509(nullptr, &at, static_cast<long>(chain.front().size()))};
  if (!certificate || X509_check_private_key(certificate.get(), private_key.get()) != 1) {
    return "tls: private key does not match public key";
  }
  ArrayBuilder list{arena, chain.size()};
  for (auto const& der : chain) list.add(bytes_value(der, arena));
  ObjectBuilder pair{arena, 6};
  pair.add("Certificate", list.finish());
  pair.add("PrivateKey", private_key_value(private_key.get(), arena));
  pair.add("SupportedSignatureAlgorithms", Value::null());
  pair.add("OCSPStaple", Value::null());
  pair.add("SignedCertificateTimestamps", Value::null());
  pair.add("Leaf", leaf);
  out = pair.finish();
  return {};
}

}  // namespace sallyport::rego::crypto
