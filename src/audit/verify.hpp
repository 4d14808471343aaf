// Proves the log: that no record was changed, removed, moved or added since it was written.
//
// What cannot be known: whoever holds the signing key can write another log, and whoever puts back
// an older copy of the whole file shows a log that was good once. Against both helps what is kept
// elsewhere: the public key, and the number and hash of an earlier head (docs/audit.md).
#pragma once

#include "src/audit/log_reader.hpp"
#include "src/store/signing_key.hpp"

#include <functional>

namespace sallyport::audit {

struct Finding {
  std::int64_t seq{0};  // 0: not about one record
  std::string id;       // may be empty: the record is gone
  std::string time;
  std::string what;
};

// "seq 17, id 5f…, 2026-07-28T12:00:00.000000Z: …"
std::string to_string(Finding const& finding);

struct Verification {
  std::vector<Finding> findings;   // at most kMostFindings
  std::size_t more_findings{0};    // beyond those
  std::int64_t records{0};         // that were looked at
  std::int64_t removed_before{0};  // retention removed what came up to this number
  std::int64_t unrecorded{0};      // calls that passed without a record, as the log itself says
  Checkpoint head;                 // the last signed one
  std::int64_t only_sealed{0};     // records behind it: of the last moment, or before a crash

  static constexpr std::size_t kMostFindings = 100;
};

// Fails only when the file cannot be read. With the private key, records that are not signed yet
// are proven too, by their seal. `progress` is told how many records are done.
Result<Verification> verify(LogReader& log, store::PublicKey const& key,
                            std::optional<Sealer> const& sealer,
                            std::function<void(std::int64_t done)> const& progress = {});

}  // namespace sallyport::audit
