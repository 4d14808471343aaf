#include "src/audit/verify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sallyport::audit {
namespace {

constexpr std::int64_t kProgressEvery = 10'000;
// Of those that do not fit, so many are compared with each other to find out which were moved.
constexpr std::size_t kMostMisfits = 64;

std::string_view view(std::string const& bytes) {
  return bytes;
}

std::string when(std::int64_t microseconds) {
  return time_text(time_of(microseconds));
}

// Which column says something else than the record itself; empty: none.
std::string wrong_column(Entry const& entry, Record const& record) {
  auto const right = to_stored(record);
  auto const& found = entry.record;
  if (found.id != right.id) return "id";
  if (found.time != right.time) return "time";
  if (found.principal != right.principal) return "principal";
  if (found.tool != right.tool) return "tool";
  if (found.purpose != right.purpose) return "purpose";
  if (found.hosts != right.hosts) return "hosts";
  if (entry.verdict_text != to_string(right.verdict)) return "verdict";
  if (found.status != right.status) return "status";
  return {};
}

class Verifier {
 public:
  Verifier(LogReader& log, store::PublicKey const& key, std::optional<Sealer> const& sealer)
      : log_{log}, key_{key}, sealer_{sealer} {}

  Result<Verification> run(std::function<void(std::int64_t)> const& progress) {
    SP_TRY(auto const checkpoints, log_.checkpoints());
    for (auto const& checkpoint : checkpoints) check_signature(checkpoint);
    begin();
    SP_CHECK(log_.each({}, [&](Entry const& entry) {
      check(entry);
      ++result_.records;
      if (progress && result_.records % kProgressEvery == 0) progress(result_.records);
      return true;
    }));
    find_moved();
    check_end();
    return std::move(result_);
  }

 private:
  // A record that does not fit where it stands.
  struct Misfit {
    Entry entry;
    store::Sha256 previous{};
    std::size_t finding{0};
  };

  void add(Finding finding) {
    if (result_.findings.size() < Verification::kMostFindings) {
      result_.findings.push_back(std::move(finding));
    } else {
      ++result_.more_findings;
    }
  }
  void add(Entry const& entry, std::string what) {
    add({entry.seq, entry.record.id, when(entry.record.time), std::move(what)});
  }

  void check_signature(Checkpoint const& checkpoint) {
    auto const name = fmt::format("the checkpoint \"{}\" at seq {} of {}", checkpoint.kind,
                                  checkpoint.at.seq, when(checkpoint.time));
    if (checkpoint.key != key_.id()) {
      return add({.what = fmt::format("{} was signed with another key ({:.16}…, expected {:.16}…)",
                                      name, checkpoint.key, key_.id())});
    }
    if (!key_.verifies(checkpoint.text(), checkpoint.signature)) {
      return add(
          {.what = fmt::format("the signature of {} is wrong: the checkpoint was changed", name)});
    }
    result_.unrecorded += checkpoint.unrecorded;
    if (checkpoint.kind == kind::kHead) {
      has_head_ = true;
      result_.head = checkpoint;
    }
    signed_.emplace(checkpoint.at.seq, checkpoint);
    bool const anchors = checkpoint.kind == kind::kBegin || checkpoint.kind == kind::kCut;
    if (anchors && (!anchor_ || checkpoint.at.seq >= anchor_->seq)) anchor_ = checkpoint.at;
  }

  void begin() {
    if (!anchor_) {
      add({.what = "no valid checkpoint says where the log begins: records may be missing at its "
                   "start"});
      return;
    }
    result_.removed_before = anchor_->seq;
    expected_ = anchor_->seq + 1;
    previous_ = anchor_->hash;
    knows_previous_ = true;
  }

  void check(Entry const& entry) {
    if (expected_ == 0) expected_ = entry.seq;
    if (entry.seq < expected_) {
      return add(entry, "it stands before the signed beginning of the log: it was inserted");
    }
    if (entry.seq > expected_) {
      add_missing(expected_, entry.seq - 1, "the records around are there: removed");
      knows_previous_ = false;
    }
    check_columns(entry);
    check_hash(entry);
    previous_ = hash_of(entry);
    knows_previous_ = true;
    expected_ = entry.seq + 1;
  }

  void add_missing(std::int64_t first, std::int64_t last, std::string_view reason) {
    auto const what = first == last ? fmt::format("the record is missing; {}", reason)
                                    : fmt::format("the records up to seq {} ({}) are missing; {}",
                                                  last, last - first + 1, reason);
    add({.seq = first, .what = what});
  }

  static store::Sha256 hash_of(Entry const& entry) {
    store::Sha256 hash{};
    std::copy_n(entry.hash.begin(), std::min(entry.hash.size(), hash.size()),
                reinterpret_cast<char*>(hash.data()));
    return hash;
  }

  void check_columns(Entry const& entry) {
    auto const record = parse_record(entry.record.body);
    if (!record) return add(entry, "its body is not a record: it was changed");
    auto const column = wrong_column(entry, *record);
    if (!column.empty()) {
      add(entry,
          fmt::format("the column {} differs from the record itself: it was changed", column));
    }
  }

  void check_hash(Entry const& entry) {
    auto const range = signed_.equal_range(entry.seq);
    for (auto at = range.first; at != range.second; ++at) {
      if (store::view(at->second.at.hash) == view(entry.hash)) continue;
      add(entry, fmt::format("its hash is not the one that was signed on {}: the log was written "
                             "anew up to here",
                             when(at->second.time)));
      break;
    }
    if (has_head_ && entry.seq > result_.head.at.seq) {
      ++result_.only_sealed;
      last_ = entry;
    }
    if (!knows_previous_) return;
    auto const right = hasher_.hash(previous_, entry.seq, entry.record.body);
    if (store::view(right) == view(entry.hash)) return;
    if (misfits_.size() < kMostMisfits && result_.more_findings == 0) {
      misfits_.push_back({entry, previous_, result_.findings.size()});
    }
    add(entry, "it does not fit its hash or the record before: it was changed, moved or inserted");
  }

  void find_moved() {
    for (auto const& place : misfits_) {
      for (auto const& other : misfits_) {
        if (&place == &other || other.finding >= result_.findings.size()) continue;
        auto const hash = hasher_.hash(place.previous, place.entry.seq, other.entry.record.body);
        auto const text = store::view(hash);
        if (text != view(other.entry.hash) && text != view(place.entry.hash)) continue;
        result_.findings[other.finding].what =
            fmt::format("it was moved here: it belongs at seq {}", place.entry.seq);
      }
    }
  }

  void check_end() {
    auto const last = expected_ - 1;
    if (!has_head_) {
      add({.what = "no valid head says where the log ends: records may be missing at its end"});
    }
    if (sealer_ && last_ && !sealer_->opens(last_->seal, {last_->seq, hash_of(*last_)})) {
      add(*last_, fmt::format("it stands behind the signed end of the log (seq {}) without a seal: "
                              "it was added",
                              result_.head.at.seq));
    }
    auto const newest = signed_.empty() ? 0 : std::prev(signed_.end())->first;
    if (newest <= last) return;
    auto const& by = std::prev(signed_.end())->second;
    add_missing(last + 1, newest,
                fmt::format("the {} signed on {} knows them: removed from the end", by.kind,
                            when(by.time)));
  }

  LogReader& log_;
  store::PublicKey const& key_;
  std::optional<Sealer> const& sealer_;
  ChainHasher hasher_;
  Verification result_;
  std::multimap<std::int64_t, Checkpoint> signed_;
  std::optional<Link> anchor_;
  bool has_head_{false};

  std::int64_t expected_{0};
  store::Sha256 previous_{};
  bool knows_previous_{false};
  std::optional<Entry> last_;  // of those behind the head
  std::vector<Misfit> misfits_;
};

}  // namespace

std::string to_string(Finding const& finding) {
  std::string text;
  if (finding.seq != 0) text += fmt::format("seq {}", finding.seq);
  if (!finding.id.empty()) text += fmt::format(", id {}", finding.id);
  if (!finding.time.empty()) text += fmt::format(", {}", finding.time);
  return text + (text.empty() ? "" : ": ") + finding.what;
}

Result<Verification> verify(LogReader& log, store::PublicKey const& key,
                            std::optional<Sealer> const& sealer,
                            std::function<void(std::int64_t done)> const& progress) {
  SP_CHECK(log.begin());
  auto result = Verifier{log, key, sealer}.run(progress);
  SP_CHECK(log.end());
  return result;
}

}  // namespace sallyport::audit
