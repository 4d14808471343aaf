#include "src/rego/budget.hpp"
#include "src/rego/build.hpp"
#include "src/rego/builtins/ip_network.hpp"
#include "src/rego/builtins/net_merge.hpp"
#include "src/rego/builtins/tables.hpp"

#include <algorithm>
#include <array>

namespace sallyport::rego::builtins {
namespace {

// What is constant among the operands of cidr_contains and cidr_intersects.
struct PreparedNetworks : Prepared {
  std::array<std::optional<IpNetwork>, 2> networks;
};

std::unique_ptr<Prepared const> prepare_networks(Operands constants) {
  auto prepared = std::make_unique<PreparedNetworks>();
  bool some = false;
  for (std::size_t i = 0; i < std::min<std::size_t>(constants.size(), 2); ++i) {
    if (!constants[i].is(Kind::String)) continue;
    prepared->networks[i] = parse_network(constants[i].as_string());
    some = some || prepared->networks[i];
  }
  if (!some) return nullptr;
  return prepared;
}

std::string not_a_network(std::string_view text) {
  return "invalid CIDR address: " + std::string{text};
}

// Nothing where it is none; the call then has its error. Always called operand 1, as in OPA.
std::optional<IpNetwork> network_operand(BuiltinCall& call, Value operand, std::size_t index) {
  auto const* const prepared = static_cast<PreparedNetworks const*>(call.prepared);
  if (prepared != nullptr && prepared->networks[index]) return prepared->networks[index];
  if (!operand.is(Kind::String)) {
    call.wrong_type(1, "string", operand);
    return std::nullopt;
  }
  auto const network = parse_network(operand.as_string());
  if (!network) call.fail(not_a_network(operand.as_string()));
  return network;
}

// An address is a range of one.
std::optional<IpNetwork> address_or_network(BuiltinCall& call, Value operand) {
  if (!operand.is(Kind::String)) {
    call.wrong_type(1, "string", operand);
    return std::nullopt;
  }
  auto const text = operand.as_string();
  if (auto const ip = parse_ip(text)) return IpNetwork{.first = *ip, .prefix = 128};
  auto const network = parse_network(text);
  if (!network) {
    call.fail("not a valid textual representation of an IP address or CIDR: " + std::string{text});
  }
  return network;
}

Value cidr_contains(BuiltinCall& call, Operands operands) {
  auto const outer = network_operand(call, operands[0], 0);
  if (!outer) return {};
  auto const* const prepared = static_cast<PreparedNetworks const*>(call.prepared);
  if (prepared != nullptr && prepared->networks[1]) {
    return Value::boolean(outer->contains(*prepared->networks[1]));
  }
  auto const inner = address_or_network(call, operands[1]);
  if (!inner) return {};
  return Value::boolean(outer->contains(*inner));
}

Value cidr_intersects(BuiltinCall& call, Operands operands) {
  auto const left = network_operand(call, operands[0], 0);
  if (!left) return {};
  auto const right = network_operand(call, operands[1], 1);
  if (!right) return {};
  return Value::boolean(left->contains(right->first) || right->contains(left->first));
}

Value cidr_is_valid(BuiltinCall&, Operands operands) {
  auto const text = operands[0];
  return Value::boolean(text.is(Kind::String) && parse_network(text.as_string()));
}

// One operand of cidr_contains_matches, whatever its shape: what to compare, and what to call it.
struct Candidate {
  Value text;
  Value index;
};

// Undefined where an element is neither a text nor an array that begins with one.
Value text_of_candidate(Value element) noexcept {
  if (element.is(Kind::String)) return element;
  if (element.is(Kind::Array) && element.size() > 0) return element.items()[0];
  return {};
}

std::span<Candidate> candidates_of(Value operand, Arena& arena) {
  if (operand.is(Kind::String)) {
    auto const one = arena.allocate_span<Candidate>(1);
    std::construct_at(&one[0], Candidate{operand, operand});
    return one;
  }
  if (!operand.is(Kind::Array) && !operand.is(Kind::Object) && !operand.is(Kind::Set)) return {};
  auto const all = arena.allocate_span<Candidate>(operand.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (operand.is(Kind::Object)) {
      auto const& entry = operand.entries()[i];
      std::construct_at(&all[i], Candidate{text_of_candidate(entry.value), entry.key});
      continue;
    }
    auto const item = operand.items()[i];
    auto const index = operand.is(Kind::Set) ? item : Value::integer(static_cast<std::int64_t>(i));
    std::construct_at(&all[i], Candidate{text_of_candidate(item), index});
  }
  return all;
}

Value bad_candidate(BuiltinCall& call, int operand) {
  return call.fail("operand " + std::to_string(operand) +
                   ": element must be string or non-empty array");
}

Value pair(Arena& arena, Value first, Value second) {
  auto const items = arena.allocate_span<Value>(2);
  std::construct_at(&items[0], first);
  std::construct_at(&items[1], second);
  return Value::array(items);
}

Value cidr_contains_matches(BuiltinCall& call, Operands operands) {
  auto const outer = candidates_of(operands[0], call.arena);
  auto const inner = candidates_of(operands[1], call.arena);
  // Each is read once, in the first round; errors come in the order in which OPA meets them.
  auto const networks = call.arena.allocate_span<IpNetwork>(inner.size());
  SetBuilder matches{call.arena};
  for (std::size_t i = 0; i < outer.size(); ++i) {
    if (!outer[i].text.is_defined()) return bad_candidate(call, 1);
    std::optional<IpNetwork> container;
    for (std::size_t j = 0; j < inner.size(); ++j) {
      if (!call.budget.charge()) return {};
      if (!inner[j].text.is_defined()) return bad_candidate(call, 2);
      if (!container) container = network_operand(call, outer[i].text, 0);
      if (!container) return {};
      if (i == 0) {
        auto const network = address_or_network(call, inner[j].text);
        if (!network) return {};
        std::construct_at(&networks[j], *network);
      }
      if (!container->contains(networks[j])) continue;
      matches.add(pair(call.arena, outer[i].index, inner[j].index));
    }
  }
  return matches.finish();
}

Value cidr_expand(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  auto const network = parse_network(operands[0].as_string());
  if (!network) return call.fail(not_a_network(operands[0].as_string()));
  auto const most = call.budget.limits().most_items;
  if (network->host_mask() >= most) {
    return call.halt("net.cidr_expand: more than " + std::to_string(most) + " addresses in " +
                     to_text(*network));
  }
  auto const count = static_cast<std::size_t>(network->host_mask()) + 1;
  SetBuilder addresses{call.arena, count};
  for (std::size_t i = 0; i < count; ++i) {
    if (!call.budget.charge() || call.arena.exhausted()) {
      return call.halt("net.cidr_expand: timed out before generating all IP addresses");
    }
    addresses.add(Value::string(call.arena.copy(to_text(Ip{network->first.bits + i}))));
  }
  return addresses.finish();
}

Value cidr_merge(BuiltinCall& call, Operands operands) {
  auto const list = operands[0];
  if (!list.is(Kind::Array) && !list.is(Kind::Set)) {
    return call.fail("operand must be an array");
  }
  NetworkMerger merger;
  for (auto const item : list.items()) {
    if (!item.is(Kind::String)) return call.fail("element must be string");
    if (auto const problem = merger.add(item.as_string()); !problem.empty()) {
      return call.fail(problem);
    }
  }
  if (!call.budget.charge(list.size())) return {};
  SetBuilder merged{call.arena, list.size()};
  for (auto const& text : merger.merged()) merged.add(Value::string(call.arena.copy(text)));
  return merged.finish();
}

// Names are not looked up: the engine does no I/O, and a policy that asks DNS decides by what
// whoever owns the name says. Addresses come back as they do in OPA.
Value lookup_ip_addr(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  auto const ip = parse_ip(operands[0].as_string());
  if (!ip) {
    return call.fail("lookup " + std::string{operands[0].as_string()} +
                     ": names are not looked up by policies here");
  }
  SetBuilder addresses{call.arena, 1};
  addresses.add(Value::string(call.arena.copy(to_text(*ip))));
  return addresses.finish();
}

constexpr std::string_view kMatchesSignature =
    "any<string, array[any<string, array[any]>], object[string: any<string, array[any]>], "
    "set[any<string, array[any]>]>, "
    "any<string, array[any<string, array[any]>], object[string: any<string, array[any]>], "
    "set[any<string, array[any]>]> -> set[array<any, any>]";

constexpr std::array kTable{
    Builtin{"net.cidr_contains", "string, string -> boolean", cidr_contains, prepare_networks},
    Builtin{"net.cidr_contains_matches", kMatchesSignature, cidr_contains_matches},
    Builtin{"net.cidr_expand", "string -> set[string]", cidr_expand},
    Builtin{"net.cidr_intersects", "string, string -> boolean", cidr_intersects, prepare_networks},
    Builtin{"net.cidr_is_valid", "string -> boolean", cidr_is_valid},
    Builtin{"net.cidr_merge", "any<array[any<string>], set[string]> -> set[string]", cidr_merge},
    Builtin{"net.cidr_overlap", "string, string -> boolean", cidr_contains, prepare_networks,
            Builtin::kDeprecated},
    Builtin{"net.lookup_ip_addr", "string -> set[string]", lookup_ip_addr, nullptr,
            Builtin::kNondeterministic},
};

}  // namespace

BuiltinTable net() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
