#include "src/base/ascii.hpp"
#include "src/rego/build.hpp"
#include "src/rego/builtins/operands.hpp"
#include "src/rego/builtins/tables.hpp"
#include "src/rego/hash.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace sallyport::rego::builtins {
namespace {

using Uuid = std::array<std::uint8_t, 16>;

constexpr std::array<std::size_t, 4> kHyphens = {8, 13, 18, 23};

std::optional<std::uint8_t> nibble(char digit) {
  if (digit >= '0' && digit <= '9') return static_cast<std::uint8_t>(digit - '0');
  if (digit >= 'a' && digit <= 'f') return static_cast<std::uint8_t>(digit - 'a' + 10);
  if (digit >= 'A' && digit <= 'F') return static_cast<std::uint8_t>(digit - 'A' + 10);
  return std::nullopt;
}

bool has_urn(std::string_view text) {
  constexpr std::string_view kPrefix = "urn:uuid:";
  return lowered(text.substr(0, kPrefix.size())) == kPrefix;
}

// The four ways to write one: plain, in braces, as a URN, without hyphens.
std::optional<Uuid> parse(std::string_view text) {
  std::string digits;
  if (text.size() == 45 && has_urn(text)) text.remove_prefix(9);
  if (text.size() == 38) text = text.substr(1, 36);  // whatever the braces are, as in OPA
  if (text.size() == 36) {
    for (auto const at : kHyphens) {
      if (text[at] != '-') return std::nullopt;
    }
    digits.append(text.substr(0, 8)).append(text.substr(9, 4)).append(text.substr(14, 4));
    digits.append(text.substr(19, 4)).append(text.substr(24));
  } else if (text.size() == 32) {
    digits = text;
  } else {
    return std::nullopt;
  }
  Uuid uuid;
  for (std::size_t at = 0; at < uuid.size(); ++at) {
    auto const high = nibble(digits[2 * at]);
    auto const low = nibble(digits[2 * at + 1]);
    if (!high || !low) return std::nullopt;
    uuid[at] = static_cast<std::uint8_t>(*high << 4 | *low);
  }
  return uuid;
}

std::uint64_t big_endian(Uuid const& uuid, std::size_t from, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t at = from; at < from + count; ++at) value = value << 8 | uuid[at];
  return value;
}

std::string_view variant_of(Uuid const& uuid) {
  auto const bits = uuid[8];
  if ((bits & 0xc0) == 0x80) return "RFC4122";
  if ((bits & 0xe0) == 0xc0) return "Microsoft";
  if ((bits & 0xe0) == 0xe0) return "Future";
  return "Reserved";
}

// RFC 7042, section 2.1
std::string_view address_kind(std::uint8_t first) {
  bool const multicast = (first & 1) != 0;
  if ((first & 2) != 0) return multicast ? "local:multicast" : "local:unicast";
  return multicast ? "global:multicast" : "global:unicast";
}

// Versions 1 and 2 tell when and where they were made: RFC 4122, section 4.2.
void add_origin(Uuid const& uuid, Arena& arena, ObjectBuilder& object) {
  constexpr std::int64_t kFirstTick = 122192928000000000;  // 1970, counted from 1582
  auto const ticks = big_endian(uuid, 0, 4) | big_endian(uuid, 4, 2) << 32 |
                     (big_endian(uuid, 6, 2) & 0xfff) << 48;
  auto const since_epoch =
      static_cast<std::uint64_t>(ticks) - static_cast<std::uint64_t>(kFirstTick);
  object.add("time", Value::integer(static_cast<std::int64_t>(since_epoch * 100)));
  object.add(
      "nodeid",
      Value::string(arena.copy(fmt::format("{:02x}-{:02x}-{:02x}-{:02x}-{:02x}-{:02x}", uuid[10],
                                           uuid[11], uuid[12], uuid[13], uuid[14], uuid[15]))));
  object.add("macvariables", Value::string(address_kind(uuid[10])));
  object.add("clocksequence",
             Value::integer(static_cast<std::int64_t>(big_endian(uuid, 8, 2) & 0x3fff)));
}

void add_domain(Uuid const& uuid, Arena& arena, ObjectBuilder& object) {
  constexpr std::array<std::string_view, 3> kDomains = {"Person", "Group", "Org"};
  auto const domain = uuid[9];
  object.add("id", Value::integer(static_cast<std::int64_t>(big_endian(uuid, 0, 4))));
  object.add("domain",
             Value::string(domain < kDomains.size() ? kDomains[domain]
                                                    : arena.copy(fmt::format("Domain{}", domain))));
}

Value parse_uuid(BuiltinCall& call, Operands operands) {
  std::string_view text;
  if (!read_string(call, operands, 1, text)) return {};
  auto const uuid = parse(text);
  if (!uuid) return {};  // undefined, no error
  auto const version = (*uuid)[6] >> 4;
  ObjectBuilder object{call.arena, 8};
  object.add("version", Value::integer(version));
  object.add("variant", Value::string(variant_of(*uuid)));
  if (version == 1 || version == 2) add_origin(*uuid, call.arena, object);
  if (version == 2) add_domain(*uuid, call.arena, object);
  return object.finish();
}

// Version 4 from the seed of the evaluation: the same key gives the same one.
Value random_uuid(BuiltinCall& call, Operands operands) {
  auto const key = hash(operands[0]);
  auto high = mix(call.seed ^ kMixA, key ^ kMixB);
  auto low = mix(high ^ kMixB, mix(call.seed ^ kMixB, key ^ kMixA));
  high = (high & ~std::uint64_t{0xf000}) | 0x4000;
  low = (low & ~(std::uint64_t{3} << 62)) | std::uint64_t{2} << 62;
  return Value::string(call.arena.copy(fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
                                                   high >> 32, high >> 16 & 0xffff, high & 0xffff,
                                                   low >> 48, low & 0xffffffffffff)));
}

constexpr auto kTable = std::to_array<Builtin>({
    {"uuid.parse", "string -> object[string: any]", parse_uuid},
    {"uuid.rfc4122", "string -> string", random_uuid, nullptr, Builtin::kNondeterministic},
});

}  // namespace

BuiltinTable uuid() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
