// What makes the log provable: each record's hash covers the one before, and signed checkpoints say
// which hash stood at which number. A signature costs more than the rest of a commit, so each
// commit is only sealed, and the head signed soon after.
//
// The formats are plain, so that they can be checked by hand (docs/audit.md).
#pragma once

#include "src/store/digest.hpp"
#include "src/store/signing_key.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::audit {

// The end of a chain: the number of its last record and that record's hash.
struct Link {
  std::int64_t seq{0};
  store::Sha256 hash{};

  friend bool operator==(Link const&, Link const&) = default;
};

// SHA-256 of: the previous hash (32 bytes), the number in decimal, LF, the body, LF.
class ChainHasher {
 public:
  Link next(Link const& previous, std::string_view body) {
    return {previous.seq + 1, hash(previous.hash, previous.seq + 1, body)};
  }
  store::Sha256 hash(store::Sha256 const& previous, std::int64_t seq, std::string_view body);

 private:
  store::Sha256Hasher hasher_;
};

// HMAC-SHA-256 of the number in decimal, LF and the hash, with a secret of the signing key: only
// who holds it can continue the chain. On the last record of each commit.
class Sealer {
 public:
  explicit Sealer(store::SigningKey const& key) : secret_{key.derive("sallyport audit seal")} {}

  store::Sha256 seal(Link const& at) const;
  bool opens(std::string_view seal, Link const& at) const;

 private:
  store::Sha256 secret_;
};

// Why there is a checkpoint.
namespace kind {
inline constexpr std::string_view kHead = "head";    // the end of the log a moment ago; always one
inline constexpr std::string_view kBegin = "begin";  // of a new log: the hash is random
inline constexpr std::string_view kEvery = "every";  // so many records have been written
inline constexpr std::string_view kClose = "close";  // the program ended in order
inline constexpr std::string_view kCut = "cut";      // retention removed all up to here
inline constexpr std::string_view kUnrecorded = "unrecorded";  // calls passed that are not here
}  // namespace kind

struct Checkpoint {
  std::string kind;
  Link at;
  std::int64_t time{0};        // microseconds since 1970
  std::int64_t unrecorded{0};  // calls since the checkpoint before that could not be written
  std::string key;             // id of the public key
  std::string signature;

  // What is signed. The view checkpoint_text in the file gives the same, without the last LF.
  std::string text() const;
};

}  // namespace sallyport::audit
