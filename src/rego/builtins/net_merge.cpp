#include "src/rego/builtins/net_merge.hpp"

#include <algorithm>
#include <tuple>

namespace sallyport::rego {
namespace {

unsigned classful_prefix(Ip ip) noexcept {
  auto const first_byte = static_cast<unsigned>(ip.bits >> 24U) & 0xFFU;
  if (first_byte < 0x80) return 8;
  return first_byte < 0xC0 ? 16 : 24;
}

// The lowest address of a family has none before it.
Bits128 before(Bits128 address) noexcept {
  auto const is_lowest = address == 0 || address == Bits128{0xFFFF} << 32U;
  return is_lowest ? address : address - 1;
}

void append_networks(Bits128 first, Bits128 const last, std::vector<std::string>& out) {
  while (true) {
    unsigned prefix = 128;
    while (prefix > 0) {
      IpNetwork const wider{.first = {first}, .prefix = prefix - 1};
      if ((first & wider.host_mask()) != 0 || wider.last().bits > last) break;
      --prefix;
    }
    IpNetwork const network{.first = {first}, .prefix = prefix};
    out.push_back(to_text(network));
    if (network.last().bits == last) return;
    first = network.last().bits + 1;
  }
}

}  // namespace

std::string NetworkMerger::add(std::string_view text) {
  auto const ip = parse_ip(text);
  if (ip && !ip->is_v4()) return "IPv6 invalid: needs prefix length";
  if (ip) {
    auto const prefix = classful_prefix(*ip);
    IpNetwork network{.first = *ip, .prefix = 96 + prefix};
    network.first.bits &= ~network.host_mask();
    ranges_.push_back(
        {network.first.bits, network.last().bits, to_text(*ip) + '/' + std::to_string(prefix)});
    return {};
  }
  auto const network = parse_network(text);
  if (!network) return "invalid CIDR address: " + std::string{text};
  ranges_.push_back({network->first.bits, network->last().bits, to_text(*network)});
  return {};
}

std::vector<std::string> NetworkMerger::merged() const {
  auto sorted = ranges_;
  std::ranges::sort(sorted, {},
                    [](Range const& range) { return std::tuple{range.last, range.first}; });
  std::vector<std::string> result;
  // From the end, so that what a range swallows lies before it.
  while (!sorted.empty()) {
    auto current = std::move(sorted.back());
    sorted.pop_back();
    while (!sorted.empty() && before(current.first) <= sorted.back().last) {
      current.first = std::min(current.first, sorted.back().first);
      current.text.clear();
      sorted.pop_back();
    }
    if (current.text.empty()) {
      append_networks(current.first, current.last, result);
    } else {
      result.push_back(std::move(current.text));
    }
  }
  return result;
}

}  // namespace sallyport::rego
