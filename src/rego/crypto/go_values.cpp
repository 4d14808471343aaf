#include "src/rego/crypto/go_values.hpp"

#include "src/base/base64.hpp"
#include "src/rego/build.hpp"
#include "src/rego/crypto/openssl.hpp"
#include "src/rego/number.hpp"
#include "src/rego/time/layout.hpp"
#include "src/url/utf8.hpp"

#include <algorithm>
#include <array>

namespace sallyport::rego::crypto {
namespace {

struct FreeText {
  void operator()(char* text) const noexcept { OPENSSL_free(text); }
};

std::string from_utf16(std::string_view bytes) {
  std::string out;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    auto const unit = [&](std::size_t at) {
      return static_cast<char32_t>(static_cast<unsigned char>(bytes[at]) << 8U |
                                   static_cast<unsigned char>(bytes[at + 1]));
    };
    auto code = unit(i);
    if (code >= 0xD800 && code < 0xDC00 && i + 3 < bytes.size()) {
      auto const low = unit(i + 2);
      if (low >= 0xDC00 && low < 0xE000) {
        code = 0x10000 + ((code - 0xD800) << 10U) + (low - 0xDC00);
        i += 2;
      }
    }
    if (code >= 0xD800 && code < 0xE000) code = 0xFFFD;
    url::append_code_point(out, code);
  }
  while (out.ends_with('\0')) out.pop_back();
  return out;
}

bool attribute_text(Der::Element const& element, std::string& out) {
  switch (element.tag) {
    case Der::kUtf8String:
    case Der::kNumericString:
    case Der::kPrintableString:
    case Der::kT61String:
    case Der::kIa5String: out = url::well_formed(element.content); return true;
    case Der::kBmpString: out = from_utf16(element.content); return true;
    default: return false;
  }
}

// The attributes of a name that have a place of their own, by the last part of their id 2.5.4.x.
struct NamePart {
  std::uint32_t id;
  std::string_view name;
};
constexpr std::array kLists{
    NamePart{6, "Country"},     NamePart{10, "Organization"}, NamePart{11, "OrganizationalUnit"},
    NamePart{7, "Locality"},    NamePart{8, "Province"},      NamePart{9, "StreetAddress"},
    NamePart{17, "PostalCode"},
};
constexpr std::array kSingles{NamePart{5, "SerialNumber"}, NamePart{3, "CommonName"}};

struct Attribute {
  Oid type;
  std::string text;

  bool is(NamePart const& part) const {
    return type.size() == 4 && type[0] == 2 && type[1] == 5 && type[2] == 4 && type[3] == part.id;
  }
};

Problem read_attributes(Der rdns, std::vector<Attribute>& out) {
  while (!rdns.is_empty()) {
    Der set;
    if (!rdns.read(Der::kSet, set)) return "x509: invalid RDNSequence";
    while (!set.is_empty()) {
      Der pair;
      Attribute attribute;
      Der::Element value;
      if (!set.read(Der::kSequence, pair)) return "x509: invalid RDNSequence: invalid attribute";
      if (!pair.read_oid(attribute.type)) {
        return "x509: invalid RDNSequence: invalid attribute type";
      }
      if (!pair.read_any(value) || !attribute_text(value, attribute.text)) {
        return "x509: invalid RDNSequence: invalid attribute value: unsupported string type";
      }
      out.push_back(std::move(attribute));
    }
  }
  return {};
}

}  // namespace

Value text_value(std::string_view text, Arena& arena) {
  return Value::string(arena.copy(url::well_formed(text)));
}

Value bytes_value(std::string_view bytes, Arena& arena) {
  return Value::string(arena.copy(base64::encode(bytes)));
}

Value oid_value(Oid const& oid, Arena& arena) {
  ArrayBuilder parts{arena, oid.size()};
  for (auto const part : oid) parts.add(Value::integer(part));
  return parts.finish();
}

Value number_value(BIGNUM const* number, Arena& arena) {
  std::unique_ptr<char, FreeText> const digits{BN_bn2dec(number)};
  return digits ? make_number(digits.get(), arena) : Value::null();
}

Value number_value(std::string_view big_endian, Arena& arena) {
  return number_value(number_of(big_endian).get(), arena);
}

Value list_value(std::span<Value const> items, Arena& arena) {
  if (items.empty()) return Value::null();
  ArrayBuilder list{arena, items.size()};
  for (auto const item : items) list.add(item);
  return list.finish();
}

Value texts_value(std::span<std::string_view const> texts, Arena& arena) {
  if (texts.empty()) return Value::null();
  ArrayBuilder list{arena, texts.size()};
  for (auto const text : texts) list.add(text_value(text, arena));
  return list.finish();
}

Problem name_value(std::string_view rdn_sequence, Arena& arena, Value& out) {
  std::vector<Attribute> attributes;
  if (auto problem = read_attributes(Der{rdn_sequence}, attributes); !problem.empty()) {
    return problem;
  }
  ObjectBuilder name{arena, 11};
  for (auto const& part : kLists) {
    std::vector<std::string_view> texts;
    for (auto const& attribute : attributes) {
      if (attribute.is(part)) texts.emplace_back(attribute.text);
    }
    name.add(part.name, texts_value(texts, arena));
  }
  for (auto const& part : kSingles) {
    std::string_view text;
    for (auto const& attribute : attributes) {
      if (attribute.is(part)) text = attribute.text;
    }
    name.add(part.name, text_value(text, arena));
  }
  std::vector<Value> all;
  for (auto const& attribute : attributes) {
    ObjectBuilder pair{arena, 2};
    pair.add("Type", oid_value(attribute.type, arena));
    pair.add("Value", text_value(attribute.text, arena));
    all.push_back(pair.finish());
  }
  name.add("Names", list_value(all, arena));
  name.add("ExtraNames", Value::null());
  out = name.finish();
  return {};
}

Problem time_value(Der& der, Arena& arena, Value& out) {
  Der::Element element;
  auto const is_short = der.is_next(Der::kUtcTime);
  if (!is_short && !der.is_next(Der::kGeneralizedTime)) return "x509: unsupported time format";
  Problem malformed{is_short ? "x509: malformed UTCTime" : "x509: malformed GeneralizedTime"};
  if (!der.read_any(element)) return malformed;
  auto parsed =
      time::parse(is_short ? "060102150405Z0700" : "20060102150405Z0700", element.content);
  if (!parsed.problem.empty() && is_short) parsed = time::parse("0601021504Z0700", element.content);
  if (!parsed.problem.empty()) return malformed;
  auto seconds = parsed.instant.seconds;
  // Two digits reach until 2049 here (RFC 5280, section 4.1.2.5.1).
  auto const date = time::date_of(time::day_number(seconds));
  if (is_short && date.year >= 2050) {
    auto const earlier = time::days_of(date.year - 100, date.month, date.day);
    seconds += (earlier - time::day_number(seconds)) * time::kSecondsPerDay;
  }
  auto const text =
      time::format({.seconds = seconds}, time::Zone::utc(), time::named_layout("RFC3339Nano"));
  out = text_value(text, arena);
  return {};
}

Problem read_extensions(Der list, std::vector<Extension>& out) {
  while (!list.is_empty()) {
    Der item;
    Extension extension;
    if (!list.read(Der::kSequence, item)) return "x509: malformed extension";
    if (!item.read_oid(extension.id)) return "x509: malformed extension OID field";
    if (item.is_next(Der::kBoolean) && !item.read_boolean(extension.is_critical)) {
      return "x509: malformed extension critical field";
    }
    if (!item.read(Der::kOctetString, extension.value)) {
      return "x509: malformed extension value field";
    }
    out.push_back(std::move(extension));
  }
  return {};
}

Value extensions_value(std::span<Extension const> extensions, Arena& arena) {
  std::vector<Value> all;
  for (auto const& extension : extensions) {
    ObjectBuilder object{arena, 3};
    object.add("Id", oid_value(extension.id, arena));
    object.add("Critical", Value::boolean(extension.is_critical));
    object.add("Value", bytes_value(extension.value, arena));
    all.push_back(object.finish());
  }
  return list_value(all, arena);
}

}  // namespace sallyport::rego::crypto
