#include "src/upstream/catalog/names.hpp"

#include "src/base/assert.hpp"
#include "src/store/digest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <unordered_map>

namespace sallyport::upstream {
namespace {

constexpr std::string_view kAliasPrefix = "mcp_";
constexpr std::string_view kNamelessServer = "server";
constexpr std::string_view kNamelessTool = "tool";
constexpr std::size_t kLongestPart = 32;
constexpr std::size_t kHashLength = 8;

// Stable over processes and versions, for clients remember names. Texts carry their lengths, so
// that no two pairs are written alike.
std::string short_hash(std::string_view server, std::string_view name, unsigned attempt) {
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  auto const digest =
      store::sha256(fmt::format("{}:{}{}:{}{}", server.size(), server, name.size(), name, attempt));
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) number = number << 8U | digest[i];
  std::string text;
  for (std::size_t i = 0; i < kHashLength; ++i, number /= kDigits.size()) {
    text += kDigits[number % kDigits.size()];
  }
  return text;
}

// At most `length` characters, and no `_` at the end.
std::string_view cut(std::string_view clean, std::size_t length) {
  clean = clean.substr(0, length);
  while (clean.ends_with('_')) clean.remove_suffix(1);
  return clean;
}

// How often each sanitised form occurs.
std::unordered_map<std::string, std::size_t> count_forms(std::vector<std::string> const& forms) {
  std::unordered_map<std::string, std::size_t> counts;
  for (auto const& form : forms) ++counts[form];
  return counts;
}

std::vector<std::string> sanitize_all(std::vector<std::string> const& names) {
  std::vector<std::string> forms;
  forms.reserve(names.size());
  for (auto const& name : names) forms.push_back(sanitize(name));
  return forms;
}

// So that what is made of a set does not depend on the order in which it is given.
std::vector<std::size_t> sorted_positions(std::vector<std::string> const& names) {
  std::vector<std::size_t> positions(names.size());
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  std::ranges::sort(positions, {}, [&](std::size_t i) -> auto const& { return names[i]; });
  return positions;
}

std::string hashed_part(std::string_view server, AliasBook::Names const& taken) {
  auto const form = sanitize(server);
  auto const readable =
      cut(form.empty() ? kNamelessServer : std::string_view{form}, kLongestPart - kHashLength - 1);
  for (unsigned attempt = 0;; ++attempt) {
    auto part = fmt::format("{}_{}", readable, short_hash(server, "", attempt));
    if (!taken.contains(part)) return part;
  }
}

}  // namespace

std::string sanitize(std::string_view name) {
  std::string clean;
  clean.reserve(name.size());
  for (char c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    bool const is_plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (is_plain) {
      clean += c;
    } else if (!clean.empty() && clean.back() != '_') {
      clean += '_';
    }
  }
  if (clean.ends_with('_')) clean.pop_back();
  return clean;
}

AliasBook::AliasBook(std::vector<std::string> const& servers, Names reserved)
    : reserved_{std::move(reserved)} {
  auto const forms = sanitize_all(servers);
  auto const counts = count_forms(forms);
  Names taken;
  std::vector<std::size_t> others;
  for (auto const i : sorted_positions(servers)) {
    bool const plain = !forms[i].empty() && forms[i].size() <= kLongestPart &&
                       (counts.at(forms[i]) == 1 || forms[i] == servers[i]);
    if (!plain || !taken.insert(forms[i]).second) {
      others.push_back(i);
      continue;
    }
    servers_[servers[i]].part = forms[i];
  }
  for (auto const i : others) {
    if (servers_.contains(servers[i])) continue;
    auto part = hashed_part(servers[i], taken);
    taken.insert(part);
    servers_[servers[i]].part = std::move(part);
  }
  for (auto& [name, server] : servers_) {
    auto const own = server.part + '_';
    for (auto each = taken.lower_bound(own); each != taken.end() && each->starts_with(own);
         ++each) {
      server.longer.push_back(fmt::format("{}{}_", kAliasPrefix, *each));
    }
  }
}

AliasBook::Server const& AliasBook::find(std::string_view server) const {
  auto const found = servers_.find(server);
  SP_ASSERT(found != servers_.end(), "the book knows every server");
  return found->second;
}

std::string const& AliasBook::part_of(std::string_view server) const {
  return find(server).part;
}

// SECURITY: `mcp_a_b_c` is tool `c` of server `a_b` wherever there is such a server, with that tool
// or without it. Tool `b_c` of server `a` is then `mcp_a__b_c`: nothing sanitised has `__`.
std::string AliasBook::compose(Server const& server, std::string_view body) const {
  auto alias = fmt::format("{}{}_{}", kAliasPrefix, server.part, body);
  bool const is_anothers = std::ranges::any_of(
      server.longer, [&](std::string const& prefix) { return alias.starts_with(prefix); });
  if (is_anothers) alias.insert(kAliasPrefix.size() + server.part.size(), 1, '_');
  return alias;
}

std::string AliasBook::compose_hashed(Server const& server, std::string_view original_server,
                                      std::string_view name, Names const& taken) const {
  auto const form = sanitize(name);
  auto const room = kLongestAlias - kAliasPrefix.size() - server.part.size() - 2 - 1 - kHashLength;
  auto const readable = cut(form.empty() ? kNamelessTool : std::string_view{form}, room);
  for (unsigned attempt = 0;; ++attempt) {
    auto const hash = short_hash(original_server, name, attempt);
    auto alias = compose(server, fmt::format("{}_{}", readable, hash));
    if (!taken.contains(alias) && !reserved_.contains(alias)) return alias;
  }
}

std::vector<std::string> AliasBook::aliases(std::string_view server,
                                            std::vector<std::string> const& names) const {
  auto const& owner = find(server);
  auto const forms = sanitize_all(names);
  auto const counts = count_forms(forms);
  std::vector<std::string> given(names.size());
  Names taken;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (forms[i].empty() || (counts.at(forms[i]) > 1 && forms[i] != names[i])) continue;
    auto alias = compose(owner, forms[i]);
    if (alias.size() > kLongestAlias || reserved_.contains(alias)) continue;
    if (taken.insert(alias).second) given[i] = std::move(alias);
  }
  for (auto const i : sorted_positions(names)) {
    if (!given[i].empty()) continue;
    given[i] = compose_hashed(owner, server, names[i], taken);
    taken.insert(given[i]);
  }
  return given;
}

}  // namespace sallyport::upstream
