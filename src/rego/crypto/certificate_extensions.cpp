// What the extensions of a certificate say (RFC 5280, section 4.2), member by member as Go has it.
#include "src/rego/crypto/certificate.hpp"
#include "src/rego/crypto/uri_value.hpp"
#include "src/url/ip_address.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace sallyport::rego::crypto {
namespace {

constexpr std::array<std::pair<std::string_view, int>, 14> kExtendedUsages{{
    {"2.5.29.37.0", 0},
    {"1.3.6.1.5.5.7.3.1", 1},
    {"1.3.6.1.5.5.7.3.2", 2},
    {"1.3.6.1.5.5.7.3.3", 3},
    {"1.3.6.1.5.5.7.3.4", 4},
    {"1.3.6.1.5.5.7.3.5", 5},
    {"1.3.6.1.5.5.7.3.6", 6},
    {"1.3.6.1.5.5.7.3.7", 7},
    {"1.3.6.1.5.5.7.3.8", 8},
    {"1.3.6.1.5.5.7.3.9", 9},
    {"1.3.6.1.4.1.311.10.3.3", 10},
    {"2.16.840.1.113730.4.1", 11},
    {"1.3.6.1.4.1.311.2.1.22", 12},
    {"1.3.6.1.4.1.311.61.1.1", 13},
}};

bool is_ia5(std::string_view text) noexcept {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string address_text(std::string_view bytes) {
  if (bytes.size() == 4) {
    url::IpAddress::V4Bytes v4{};
    std::ranges::copy(bytes, v4.begin());
    return url::IpAddress::v4(v4).to_string();
  }
  url::IpAddress::V6Bytes v6{};
  std::ranges::copy(bytes, v6.begin());
  return url::IpAddress::v6(v6).to_string();
}

// Names that a CA may, or may not, give certificates to.
struct Subtrees {
  std::vector<std::string_view> dns;
  std::vector<std::string_view> emails;
  std::vector<std::string_view> uris;
  std::vector<Value> ranges;
};

struct Members {
  std::int64_t key_usage{0};
  bool has_basic_constraints{false};
  bool is_ca{false};
  std::int64_t longest_path{0};
  std::vector<Value> usages;
  std::vector<Value> unknown_usages;
  std::vector<Value> unhandled;
  std::optional<std::string_view> subject_key;
  std::optional<std::string_view> authority_key;
  std::vector<std::string_view> ocsp_servers;
  std::vector<std::string_view> issuer_urls;
  AlternativeNames names;
  Subtrees permitted;
  Subtrees excluded;
  bool are_names_critical{false};
  std::vector<std::string_view> revocation_lists;
  bool has_policies{false};
  std::vector<Value> policies;    // as texts
  std::vector<Value> policy_ids;  // as lists
  std::vector<Value> policy_mappings;
  std::optional<std::int64_t> inhibit_any;
  std::optional<std::int64_t> inhibit_mapping;
  std::optional<std::int64_t> require_explicit;
};

class ExtensionReader {
 public:
  ExtensionReader(Members& members, Arena& arena) : members_{members}, arena_{arena} {}

  Problem read(Extension const& extension) {
    is_handled_ = true;
    auto const& id = extension.id;
    auto problem = id.size() == 4 && id[0] == 2 && id[1] == 5 && id[2] == 29
                       ? read_standard(id[3], extension)
                       : read_other(extension);
    if (problem.empty() && extension.is_critical && !is_handled_) {
      members_.unhandled.push_back(oid_value(id, arena_));
    }
    return problem;
  }

 private:
  Problem read_standard(std::uint32_t number, Extension const& extension) {
    Der der{extension.value};
    switch (number) {
      case 14: return subject_key(der, extension.is_critical);
      case 15: return key_usage(der);
      case 17: return alternative_names(extension.value);
      case 19: return basic_constraints(der);
      case 30: return name_constraints(der, extension.is_critical);
      case 31: return revocation_lists(der);
      case 32: return policies(der);
      case 33: return policy_mappings(der);
      case 35: return authority_key(der, extension.is_critical);
      case 36: return policy_constraints(der);
      case 37: return extended_usages(der);
      case 54: return inhibit_any_policy(der);
      default: is_handled_ = false; return {};
    }
  }

  Problem read_other(Extension const& extension) {
    if (to_text(extension.id) == "1.3.6.1.5.5.7.1.1") {
      return authority_information(Der{extension.value}, extension.is_critical);
    }
    is_handled_ = false;
    return {};
  }

  Problem subject_key(Der der, bool is_critical) {
    if (is_critical) return "x509: subject key identifier incorrectly marked critical";
    std::string_view key;
    if (!der.read(Der::kOctetString, key)) return "x509: invalid subject key identifier";
    members_.subject_key = key;
    return {};
  }

  Problem authority_key(Der der, bool is_critical) {
    if (is_critical) return "x509: authority key identifier incorrectly marked critical";
    Der sequence;
    std::string_view key;
    if (!der.read(Der::kSequence, sequence)) return "x509: invalid authority key identifier";
    if (!sequence.is_next(Der::context(0))) return {};
    if (!sequence.read(Der::context(0), key)) return "x509: invalid authority key identifier";
    members_.authority_key = key;
    return {};
  }

  // The first bit is the lowest here.
  Problem key_usage(Der der) {
    std::string_view bits;
    if (!der.read(Der::kBitString, bits) || bits.empty()) return "x509: invalid key usage";
    for (std::size_t i = 0; i < 9 && 1 + i / 8 < bits.size(); ++i) {
      auto const byte = static_cast<unsigned char>(bits[1 + i / 8]);
      if ((byte >> (7 - i % 8) & 1U) != 0) members_.key_usage |= std::int64_t{1} << i;
    }
    return {};
  }

  Problem basic_constraints(Der der) {
    Der sequence;
    if (!der.read(Der::kSequence, sequence)) return "x509: invalid basic constraints";
    if (sequence.is_next(Der::kBoolean) && !sequence.read_boolean(members_.is_ca)) {
      return "x509: invalid basic constraints";
    }
    members_.has_basic_constraints = true;
    members_.longest_path = -1;
    if (!sequence.is_next(Der::kInteger)) return {};
    auto const is_read = sequence.read_small_integer(Der::kInteger, members_.longest_path);
    return is_read && members_.longest_path >= 0 ? "" : "x509: invalid basic constraints";
  }

  Problem alternative_names(std::string_view value) {
    auto& names = members_.names;
    auto problem = read_alternative_names(value, names);
    is_handled_ = !names.dns.empty() || !names.emails.empty() || !names.addresses.empty() ||
                  !names.uris.empty();
    return problem;
  }

  Problem name_constraints(Der der, bool is_critical) {
    Der sequence;
    Der permitted;
    Der excluded;
    if (!der.read(Der::kSequence, sequence) || !der.is_empty()) {
      return "x509: invalid NameConstraints extension";
    }
    auto const has_permitted = sequence.read(Der::constructed(0), permitted);
    auto const has_excluded = sequence.read(Der::constructed(1), excluded);
    if (!sequence.is_empty()) return "x509: invalid NameConstraints extension";
    if (!has_permitted && !has_excluded) return "x509: empty name constraints extension";
    members_.are_names_critical = is_critical;
    if (auto problem = subtrees(permitted, members_.permitted); !problem.empty()) return problem;
    return subtrees(excluded, members_.excluded);
  }

  Problem subtrees(Der list, Subtrees& out) {
    while (!list.is_empty()) {
      Der sequence;
      Der::Element name;
      if (!list.read(Der::kSequence, sequence) || !sequence.read_any(name)) {
        return "x509: invalid NameConstraints extension";
      }
      switch (name.tag) {
        case Der::context(1): out.emails.push_back(name.content); break;
        case Der::context(2): out.dns.push_back(name.content); break;
        case Der::context(6): out.uris.push_back(name.content); break;
        case Der::context(7):
          if (name.content.size() != 8 && name.content.size() != 32) {
            return "x509: IP constraint contained value of length " +
                   std::to_string(name.content.size());
          }
          out.ranges.push_back(range_value(name.content));
          break;
        default: is_handled_ = false; break;
      }
    }
    return {};
  }

  Value range_value(std::string_view bytes) {
    auto const half = bytes.size() / 2;
    ObjectBuilder range{arena_, 2};
    range.add("IP", text_value(address_text(bytes.substr(0, half)), arena_));
    range.add("Mask", bytes_value(bytes.substr(half), arena_));
    return range.finish();
  }

  Problem revocation_lists(Der der) {
    Der list;
    if (!der.read(Der::kSequence, list)) return "x509: invalid CRL distribution points";
    while (!list.is_empty()) {
      Der point;
      Der name;
      Der full_name;
      if (!list.read(Der::kSequence, point)) return "x509: invalid CRL distribution point";
      if (!point.read(Der::constructed(0), name)) continue;
      if (!name.read(Der::constructed(0), full_name)) return "x509: invalid CRL distribution point";
      std::string_view uri;
      while (full_name.read(Der::context(6), uri)) members_.revocation_lists.push_back(uri);
    }
    return {};
  }

  Problem policies(Der der) {
    Der list;
    if (!der.read(Der::kSequence, list)) return "x509: invalid certificate policies";
    members_.has_policies = true;
    while (!list.is_empty()) {
      Der policy;
      Oid oid;
      if (!list.read(Der::kSequence, policy) || !policy.read_oid(oid)) {
        return "x509: invalid certificate policies";
      }
      members_.policies.push_back(text_value(to_text(oid), arena_));
      members_.policy_ids.push_back(oid_value(oid, arena_));
    }
    return {};
  }

  Problem policy_mappings(Der der) {
    Der list;
    if (!der.read(Der::kSequence, list)) return "x509: invalid policy mappings extension";
    while (!list.is_empty()) {
      Der pair;
      Oid issuer;
      Oid subject;
      if (!list.read(Der::kSequence, pair) || !pair.read_oid(issuer) || !pair.read_oid(subject)) {
        return "x509: invalid policy mappings extension";
      }
      ObjectBuilder mapping{arena_, 2};
      mapping.add("IssuerDomainPolicy", text_value(to_text(issuer), arena_));
      mapping.add("SubjectDomainPolicy", text_value(to_text(subject), arena_));
      members_.policy_mappings.push_back(mapping.finish());
    }
    return {};
  }

  Problem policy_constraints(Der der) {
    Der sequence;
    if (!der.read(Der::kSequence, sequence)) return "x509: invalid policy constraints extension";
    for (auto const& [tag, member] : {std::pair{Der::context(0), &members_.require_explicit},
                                      std::pair{Der::context(1), &members_.inhibit_mapping}}) {
      if (!sequence.is_next(tag)) continue;
      std::int64_t number = 0;
      if (!sequence.read_small_integer(tag, number)) {
        return "x509: invalid policy constraints extension";
      }
      *member = number;
    }
    return {};
  }

  Problem inhibit_any_policy(Der der) {
    std::int64_t number = 0;
    if (!der.read_small_integer(Der::kInteger, number)) {
      return "x509: invalid inhibit any policy extension";
    }
    members_.inhibit_any = number;
    return {};
  }

  Problem extended_usages(Der der) {
    Der list;
    if (!der.read(Der::kSequence, list)) return "x509: invalid extended key usages";
    while (!list.is_empty()) {
      Oid oid;
      if (!list.read_oid(oid)) return "x509: invalid extended key usages";
      auto const known = std::ranges::find(kExtendedUsages, to_text(oid),
                                           [](auto const& entry) { return entry.first; });
      if (known != kExtendedUsages.end()) {
        members_.usages.push_back(Value::integer(known->second));
      } else {
        members_.unknown_usages.push_back(oid_value(oid, arena_));
      }
    }
    return {};
  }

  Problem authority_information(Der der, bool is_critical) {
    if (is_critical) return "x509: authority info access incorrectly marked critical";
    Der list;
    if (!der.read(Der::kSequence, list)) return "x509: invalid authority info access";
    while (!list.is_empty()) {
      Der access;
      Oid method;
      std::string_view uri;
      if (!list.read(Der::kSequence, access) || !access.read_oid(method)) {
        return "x509: invalid authority info access";
      }
      if (!access.read(Der::context(6), uri)) continue;
      auto const name = to_text(method);
      if (name == "1.3.6.1.5.5.7.48.1") members_.ocsp_servers.push_back(uri);
      if (name == "1.3.6.1.5.5.7.48.2") members_.issuer_urls.push_back(uri);
    }
    return {};
  }

  Members& members_;
  Arena& arena_;
  bool is_handled_{true};
};

void add_names_and_constraints(Members const& members, ObjectBuilder& out, Arena& arena) {
  add_alternative_names(members.names, out, arena);
  out.add("PermittedDNSDomainsCritical", Value::boolean(members.are_names_critical));
  out.add("PermittedDNSDomains", texts_value(members.permitted.dns, arena));
  out.add("ExcludedDNSDomains", texts_value(members.excluded.dns, arena));
  out.add("PermittedIPRanges", list_value(members.permitted.ranges, arena));
  out.add("ExcludedIPRanges", list_value(members.excluded.ranges, arena));
  out.add("PermittedEmailAddresses", texts_value(members.permitted.emails, arena));
  out.add("ExcludedEmailAddresses", texts_value(members.excluded.emails, arena));
  out.add("PermittedURIDomains", texts_value(members.permitted.uris, arena));
  out.add("ExcludedURIDomains", texts_value(members.excluded.uris, arena));
}

void add_policies(Members const& members, ObjectBuilder& out, Arena& arena) {
  auto const is_empty_list = members.has_policies && members.policy_ids.empty();
  out.add("PolicyIdentifiers",
          is_empty_list ? Value::array({}) : list_value(members.policy_ids, arena));
  out.add("Policies", list_value(members.policies, arena));
  out.add("PolicyMappings", list_value(members.policy_mappings, arena));
  struct Number {
    std::string_view name;
    std::string_view zero_name;
    std::optional<std::int64_t> const* value;
  };
  for (auto const& [name, zero_name, value] : std::initializer_list<Number>{
           {"InhibitAnyPolicy", "InhibitAnyPolicyZero", &members.inhibit_any},
           {"InhibitPolicyMapping", "InhibitPolicyMappingZero", &members.inhibit_mapping},
           {"RequireExplicitPolicy", "RequireExplicitPolicyZero", &members.require_explicit}}) {
    out.add(name, Value::integer(value->value_or(0)));
    out.add(zero_name, Value::boolean(*value == 0));
  }
}

}  // namespace

Problem read_alternative_names(std::string_view extension, AlternativeNames& out) {
  Der der{extension};
  Der list;
  if (!der.read(Der::kSequence, list)) return "x509: invalid subject alternative names";
  while (!list.is_empty()) {
    Der::Element name;
    if (!list.read_any(name)) return "x509: invalid subject alternative name";
    auto const is_text = is_ia5(name.content);
    switch (name.tag) {
      case Der::context(1):
        if (!is_text) return "x509: SAN rfc822Name is malformed";
        out.emails.push_back(name.content);
        break;
      case Der::context(2):
        if (!is_text) return "x509: SAN dNSName is malformed";
        out.dns.push_back(name.content);
        break;
      case Der::context(6):
        if (!is_text) return "x509: SAN uniformResourceIdentifier is malformed";
        out.uris.push_back(name.content);
        break;
      case Der::context(7):
        if (name.content.size() != 4 && name.content.size() != 16) {
          return "x509: cannot parse IP address of length " + std::to_string(name.content.size());
        }
        out.addresses.push_back(name.content);
        break;
      default: break;
    }
  }
  return {};
}

void add_alternative_names(AlternativeNames const& names, ObjectBuilder& object, Arena& arena) {
  std::vector<Value> addresses;
  for (auto const address : names.addresses) {
    addresses.push_back(text_value(address_text(address), arena));
  }
  std::vector<Value> uris;
  for (auto const uri : names.uris) uris.push_back(uri_value(uri, arena));
  object.add("DNSNames", texts_value(names.dns, arena));
  object.add("EmailAddresses", texts_value(names.emails, arena));
  object.add("IPAddresses", list_value(addresses, arena));
  object.add("URIs", list_value(uris, arena));
}

Problem add_extension_members(std::span<Extension const> extensions, UriStrings strings,
                              ObjectBuilder& certificate, Arena& arena) {
  Members members;
  ExtensionReader reader{members, arena};
  for (auto const& extension : extensions) {
    if (auto problem = reader.read(extension); !problem.empty()) return problem;
  }
  auto const key_or_null = [&arena](std::optional<std::string_view> const& key) {
    return key ? bytes_value(*key, arena) : Value::null();
  };
  auto& out = certificate;
  out.add("KeyUsage", Value::integer(members.key_usage));
  out.add("UnhandledCriticalExtensions", list_value(members.unhandled, arena));
  out.add("ExtKeyUsage", list_value(members.usages, arena));
  out.add("UnknownExtKeyUsage", list_value(members.unknown_usages, arena));
  out.add("BasicConstraintsValid", Value::boolean(members.has_basic_constraints));
  out.add("IsCA", Value::boolean(members.is_ca));
  out.add("MaxPathLen", Value::integer(members.longest_path));
  out.add("MaxPathLenZero",
          Value::boolean(members.has_basic_constraints && members.longest_path == 0));
  out.add("SubjectKeyId", key_or_null(members.subject_key));
  out.add("AuthorityKeyId", key_or_null(members.authority_key));
  out.add("OCSPServer", texts_value(members.ocsp_servers, arena));
  out.add("IssuingCertificateURL", texts_value(members.issuer_urls, arena));
  out.add("CRLDistributionPoints", texts_value(members.revocation_lists, arena));
  add_names_and_constraints(members, out, arena);
  add_policies(members, out, arena);
  if (strings == UriStrings::With) out.add("URIStrings", texts_value(members.names.uris, arena));
  return {};
}

}  // namespace sallyport::rego::crypto
