#include "src/audit/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace sallyport::audit {

store::Sha256 ChainHasher::hash(store::Sha256 const& previous, std::int64_t seq,
                                std::string_view body) {
  std::array<char, 24> number{};
  auto* end = std::to_chars(number.data(), number.data() + number.size() - 1, seq).ptr;
  *end++ = '\n';
  return hasher_.add(store::view(previous)).add({number.data(), end}).add(body).add("\n").finish();
}

store::Sha256 Sealer::seal(Link const& at) const {
  return store::hmac_sha256(store::view(secret_),
                            fmt::format("{}\n{}", at.seq, store::view(at.hash)));
}

bool Sealer::opens(std::string_view seal, Link const& at) const {
  store::Sha256 given{};
  if (seal.size() != given.size()) return false;
  std::ranges::copy(seal, reinterpret_cast<char*>(given.data()));
  return store::equal_in_constant_time(given, this->seal(at));
}

std::string Checkpoint::text() const {
  return fmt::format(
      "sallyport audit checkpoint 1\nkind: {}\nseq: {}\nhash: {}\ntime: {}\nunrecorded: {}\n"
      "key: {}\n",
      kind, at.seq, store::to_hex(store::view(at.hash)), time, unrecorded, key);
}

}  // namespace sallyport::audit
