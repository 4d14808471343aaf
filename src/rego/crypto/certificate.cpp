#include "src/rego/crypto/certificate.hpp"

#include "src/rego/crypto/base64.hpp"
#include "src/rego/crypto/openssl.hpp"
#include "src/rego/crypto/pem.hpp"

#include <algorithm>
#include <set>

namespace sallyport::rego::crypto {
namespace {

constexpr std::string_view kBegin = "-----BEGIN";
constexpr std::size_t kMostCertificates = 1000;

Problem der_of_pem(std::string_view text, std::string& out) {
  while (auto const block = next_pem_block(text)) {
    if (block->type != "CERTIFICATE") {
      return "PEM block type is '" + std::string{block->type} + "', expected CERTIFICATE";
    }
    out += block->bytes;
  }
  return {};
}

Problem split_der(std::string_view bytes, std::vector<std::string>& out) {
  Der der{bytes};
  while (!der.is_empty()) {
    Der::Element certificate;
    if (!der.read(Der::kSequence, certificate)) return "x509: malformed certificate";
    if (out.size() == kMostCertificates) return "x509: too many certificates";
    out.emplace_back(certificate.whole);
  }
  return {};
}

// The parts of a certificate in their order.
class CertificateReader {
 public:
  CertificateReader(UriStrings strings, Arena& arena)
      : strings_{strings}, arena_{arena}, object_{arena, 60} {}

  Problem read(std::string_view der, Value& out) {
    Der whole{der};
    Der certificate;
    Der::Element tbs;
    if (!whole.read(Der::kSequence, certificate)) return "x509: malformed certificate";
    object_.add("Raw", bytes_value(der, arena_));
    if (!certificate.read(Der::kSequence, tbs)) return "x509: malformed tbs certificate";
    object_.add("RawTBSCertificate", bytes_value(tbs.whole, arena_));
    Der fields{tbs.content};
    for (auto const step : {&CertificateReader::version, &CertificateReader::serial_number}) {
      if (auto problem = (this->*step)(fields); !problem.empty()) return problem;
    }
    if (auto problem = signature(fields, certificate); !problem.empty()) return problem;
    for (auto const step :
         {&CertificateReader::issuer, &CertificateReader::validity, &CertificateReader::subject,
          &CertificateReader::public_key, &CertificateReader::extensions}) {
      if (auto problem = (this->*step)(fields); !problem.empty()) return problem;
    }
    out = object_.finish();
    return {};
  }

 private:
  Problem version(Der& fields) {
    Der tagged;
    if (fields.read(Der::constructed(0), tagged) &&
        (!tagged.read_small_integer(Der::kInteger, version_) || version_ < 0 || version_ > 3)) {
      return "x509: malformed version";
    }
    ++version_;
    if (version_ > 3) return "x509: invalid version";
    object_.add("Version", Value::integer(version_));
    return {};
  }

  Problem serial_number(Der& fields) {
    std::string_view serial;
    if (!fields.read(Der::kInteger, serial) || serial.empty() || serial.size() > kLargestNumber) {
      return "x509: malformed serial number";
    }
    if ((static_cast<unsigned char>(serial.front()) & 0x80U) != 0) {
      return "x509: negative serial number";
    }
    object_.add("SerialNumber", number_value(serial, arena_));
    return {};
  }

  // Inside and behind what is signed.
  Problem signature(Der& fields, Der& certificate) {
    std::string_view inner;
    std::string_view outer;
    std::string bits;
    if (!fields.read(Der::kSequence, inner)) {
      return "x509: malformed signature algorithm identifier";
    }
    if (!certificate.read(Der::kSequence, outer)) return "x509: malformed algorithm identifier";
    if (inner != outer) {
      return "x509: inner and outer signature algorithm identifiers don't match";
    }
    if (!certificate.read_bits(bits)) return "x509: malformed signature";
    object_.add("SignatureAlgorithm", Value::integer(signature_algorithm(inner)));
    object_.add("Signature", bytes_value(bits, arena_));
    return {};
  }

  Problem name(Der& fields, std::string_view raw_member, std::string_view member) {
    Der::Element element;
    Value value;
    if (!fields.read(Der::kSequence, element)) return "x509: malformed issuer";
    if (auto problem = name_value(element.content, arena_, value); !problem.empty()) return problem;
    object_.add(raw_member, bytes_value(element.whole, arena_));
    object_.add(member, value);
    return {};
  }
  Problem issuer(Der& fields) { return name(fields, "RawIssuer", "Issuer"); }
  Problem subject(Der& fields) { return name(fields, "RawSubject", "Subject"); }

  Problem validity(Der& fields) {
    Der times;
    if (!fields.read(Der::kSequence, times)) return "x509: malformed validity";
    for (std::string_view const member : {"NotBefore", "NotAfter"}) {
      Value value;
      if (auto problem = time_value(times, arena_, value); !problem.empty()) return problem;
      object_.add(member, value);
    }
    return {};
  }

  Problem public_key(Der& fields) {
    Der::Element info;
    PublicKeyValue key;
    if (!fields.read(Der::kSequence, info)) return "x509: malformed spki";
    if (auto problem = public_key_value(Der{info.whole}, arena_, key); !problem.empty()) {
      return problem;
    }
    object_.add("RawSubjectPublicKeyInfo", bytes_value(info.whole, arena_));
    object_.add("PublicKeyAlgorithm", Value::integer(key.algorithm));
    object_.add("PublicKey", key.key);
    return {};
  }

  Problem extensions(Der& fields) {
    std::vector<Extension> list;
    Der::Element unique_id;
    if (version_ > 1) {
      fields.read(Der::context(1), unique_id);
      fields.read(Der::context(2), unique_id);
    }
    Der tagged;
    if (version_ == 3 && fields.read(Der::constructed(3), tagged)) {
      Der sequence;
      if (!tagged.read(Der::kSequence, sequence)) return "x509: malformed extensions";
      if (auto problem = read_extensions(sequence, list); !problem.empty()) return problem;
    }
    std::set<Oid> seen;
    for (auto const& extension : list) {
      if (seen.insert(extension.id).second) continue;
      return "x509: certificate contains duplicate extension with OID \"" + to_text(extension.id) +
             '"';
    }
    object_.add("Extensions", extensions_value(list, arena_));
    object_.add("ExtraExtensions", Value::null());
    return add_extension_members(list, strings_, object_, arena_);
  }

  UriStrings strings_;
  Arena& arena_;
  ObjectBuilder object_;
  std::int64_t version_{0};
};

}  // namespace

Problem certificates_of_text(std::string_view text, std::vector<std::string>& out) {
  std::string der;
  if (text.starts_with(kBegin)) {
    if (auto problem = der_of_pem(text, der); !problem.empty()) return problem;
    return split_der(der, out);
  }
  auto const decoded = decode_base64(text, Base64::Standard);
  if (!decoded.problem.empty()) return decoded.problem;
  if (!decoded.bytes.starts_with(kBegin)) return split_der(decoded.bytes, out);
  if (auto problem = der_of_pem(decoded.bytes, der); !problem.empty()) return problem;
  return split_der(der, out);
}

Problem certificate_value(std::string_view der, UriStrings strings, Arena& arena, Value& out) {
  ErrorsForgotten const forgotten;
  return CertificateReader{strings, arena}.read(der, out);
}

}  // namespace sallyport::rego::crypto
