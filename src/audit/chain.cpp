#include "src/audit/chain.hpp"

#include <fmt/format.h>

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

std::string Checkpoint::text() const {
  return fmt::format(
      "sallyport audit checkpoint 1\nkind: {}\nseq: {}\nhash: {}\ntime: {}\nunrecorded: {}\n"
      "key: {}\n",
      kind, at.seq, store::to_hex(store::view(at.hash)), time, unrecorded, key);
}

}  // namespace sallyport::audit
