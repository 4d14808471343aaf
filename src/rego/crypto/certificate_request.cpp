#include "src/rego/crypto/base64.hpp"
#include "src/rego/crypto/certificate.hpp"
#include "src/rego/crypto/openssl.hpp"
#include "src/rego/crypto/pem.hpp"

namespace sallyport::rego::crypto {
namespace {

constexpr std::string_view kExtensionRequest = "1.2.840.113549.1.9.14";
constexpr std::string_view kAlternativeNames = "2.5.29.17";

// pkix.AttributeTypeAndValueSET: what Go shows of an attribute is a list of lists of pairs.
bool pairs_value(Der set, Arena& arena, Value& out) {
  std::vector<Value> lists;
  while (!set.is_empty()) {
    Der list;
    std::vector<Value> pairs;
    if (!set.read(Der::kSequence, list)) return false;
    while (!list.is_empty()) {
      Der item;
      Oid oid;
      Der::Element value;
      if (!list.read(Der::kSequence, item) || !item.read_oid(oid) || !item.read_any(value)) {
        return false;
      }
      ObjectBuilder pair{arena, 2};
      pair.add("Type", oid_value(oid, arena));
      // A critical extension shows its flag where others show their value, as in Go.
      pair.add("Value", value.tag == Der::kBoolean
                            ? Value::boolean(value.content != std::string_view{"\0", 1})
                            : bytes_value(value.content, arena));
      pairs.push_back(pair.finish());
    }
    lists.push_back(list_value(pairs, arena));
  }
  out = list_value(lists, arena);
  return true;
}

struct Attributes {
  std::vector<Value> shown;
  std::vector<Extension> extensions;
};

Problem read_attributes(Der list, Arena& arena, Attributes& out) {
  while (!list.is_empty()) {
    Der attribute;
    Der set;
    Oid oid;
    if (!list.read(Der::kSequence, attribute) || !attribute.read_oid(oid) ||
        !attribute.read(Der::kSet, set)) {
      return "asn1: structure error: malformed attribute";
    }
    Value pairs;
    if (pairs_value(set, arena, pairs)) {
      ObjectBuilder shown{arena, 2};
      shown.add("Type", oid_value(oid, arena));
      shown.add("Value", pairs);
      out.shown.push_back(shown.finish());
    }
    if (to_text(oid) != kExtensionRequest) continue;
    Der sequence;
    if (!set.read(Der::kSequence, sequence)) return "asn1: structure error: malformed extensions";
    if (auto problem = read_extensions(sequence, out.extensions); !problem.empty()) return problem;
  }
  return {};
}

Problem add_signature(Der& request, ObjectBuilder& object, Arena& arena) {
  std::string_view algorithm;
  std::string signature;
  if (!request.read(Der::kSequence, algorithm) || !request.read_bits(signature)) {
    return "asn1: structure error: malformed signature";
  }
  object.add("SignatureAlgorithm", Value::integer(signature_algorithm(algorithm)));
  object.add("Signature", bytes_value(signature, arena));
  return {};
}

Problem add_subject_and_key(Der& fields, ObjectBuilder& object, Arena& arena) {
  Der::Element subject;
  Der::Element key_info;
  Value name;
  PublicKeyValue key;
  if (!fields.read(Der::kSequence, subject) || !fields.read(Der::kSequence, key_info)) {
    return "asn1: structure error: malformed request";
  }
  if (auto problem = name_value(subject.content, arena, name); !problem.empty()) return problem;
  if (auto problem = public_key_value(Der{key_info.whole}, arena, key); !problem.empty()) {
    return problem;
  }
  object.add("RawSubject", bytes_value(subject.whole, arena));
  object.add("Subject", name);
  object.add("RawSubjectPublicKeyInfo", bytes_value(key_info.whole, arena));
  object.add("PublicKeyAlgorithm", Value::integer(key.algorithm));
  object.add("PublicKey", key.key);
  return {};
}

Problem add_attributes(Der& fields, ObjectBuilder& object, Arena& arena) {
  Der list;
  Attributes attributes;
  AlternativeNames names;
  if (fields.read(Der::constructed(0), list)) {
    if (auto problem = read_attributes(list, arena, attributes); !problem.empty()) return problem;
  }
  for (auto const& extension : attributes.extensions) {
    if (to_text(extension.id) != kAlternativeNames) continue;
    if (auto problem = read_alternative_names(extension.value, names); !problem.empty()) {
      return problem;
    }
  }
  object.add("Attributes", list_value(attributes.shown, arena));
  object.add("Extensions", extensions_value(attributes.extensions, arena));
  object.add("ExtraExtensions", Value::null());
  add_alternative_names(names, object, arena);
  return {};
}

Problem request_value(std::string_view bytes, Arena& arena, Value& out) {
  Der whole{bytes};
  Der request;
  Der::Element info;
  std::int64_t version = 0;
  if (!whole.read(Der::kSequence, request) || !request.read(Der::kSequence, info)) {
    return "asn1: structure error: tags don't match";
  }
  if (!whole.is_empty()) return "asn1: syntax error: trailing data";
  Der fields{info.content};
  if (!fields.read_small_integer(Der::kInteger, version)) {
    return "asn1: structure error: malformed version";
  }
  ObjectBuilder object{arena, 20};
  object.add("Raw", bytes_value(bytes, arena));
  object.add("RawTBSCertificateRequest", bytes_value(info.whole, arena));
  object.add("Version", Value::integer(version));
  if (auto problem = add_signature(request, object, arena); !problem.empty()) return problem;
  if (auto problem = add_subject_and_key(fields, object, arena); !problem.empty()) return problem;
  if (auto problem = add_attributes(fields, object, arena); !problem.empty()) return problem;
  out = object.finish();
  return {};
}

}  // namespace

Problem certificate_request_value(std::string_view text, Arena& arena, Value& out) {
  ErrorsForgotten const forgotten;
  std::string bytes{text};
  if (!text.starts_with("-----BEGIN CERTIFICATE REQUEST-----")) {
    auto decoded = decode_base64(text, Base64::Standard);
    if (!decoded.problem.empty()) return decoded.problem;
    bytes = std::move(decoded.bytes);
  }
  std::string_view rest{bytes};
  auto block = next_pem_block(rest);
  if (block && block->type != "CERTIFICATE REQUEST") {
    return "invalid PEM-encoded certificate signing request";
  }
  return request_value(block ? std::string_view{block->bytes} : bytes, arena, out);
}

}  // namespace sallyport::rego::crypto
