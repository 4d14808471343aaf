// Judges recorded calls again, by another policy: what would change?
//
// A record has no values of headers, no scopes and only the beginning of a session's id, and its
// URLs are masked. The policy sees "[redacted]", an empty list, and the URL as it was written down;
// what it decides by these may be wrong, and is marked and counted.
#pragma once

#include "src/app/policy_reads.hpp"
#include "src/audit/log_reader.hpp"
#include "src/audit/record.hpp"
#include "src/policy/rego_source.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::app {

// A hop that the policy now judges otherwise. Valid during the call that gets it.
struct ReplayChange {
  audit::Record const& record;
  std::size_t hop;  // its place in the record, from 0
  bool now_allowed;
  std::vector<std::string> reasons;   // of the new policy
  std::vector<Unrecorded> uncertain;  // what the new policy may have read and is not recorded

  audit::Hop const& what() const { return record.hops[hop]; }
  // The record gives the reasons of the last decision alone.
  bool has_old_reasons() const { return hop + 1 == record.hops.size(); }
};

struct ReplaySummary {
  std::uint64_t records{0};  // looked at
  std::uint64_t hops{0};     // judged
  std::uint64_t now_allowed{0};
  std::uint64_t now_denied{0};
  std::uint64_t changed_records{0};
  // Judged, but:
  std::uint64_t masked{0};  // parts of the URL are not recorded, whether they matter or not
  std::array<std::uint64_t, kUnrecorded.size()> uncertain{};  // the policy may have read it
  std::uint64_t uncertain_changes{0};
  std::uint64_t problems{0};         // the policy failed, which denies
  std::uint64_t warnings{0};         // a part of it failed, which is undefined then
  std::uint64_t unnamed_denials{0};  // now allowed, but no Rego policy stands in the record
  // Not judged:
  std::uint64_t refused_otherwise{0};  // hops: by limits, the guard, robots.txt, …
  std::uint64_t unasked{0};            // hops: no policy of its section was asked
  std::uint64_t unreached{0};          // hops: behind one that is now denied
  std::uint64_t own{0};                // records: requests of the program itself
  std::uint64_t unreadable{0};         // records

  std::uint64_t changes() const { return now_allowed + now_denied; }
};

class PolicyReplay {
 public:
  using OnChange = std::function<void(ReplayChange const&)>;

  // A file or a folder. Fails with InvalidInput: every error of the policy.
  static Result<PolicyReplay> create(std::filesystem::path const& path, std::string_view rule);

  void judge(audit::Entry const& entry, OnChange const& on_change);
  void judge(audit::Record const& record, OnChange const& on_change);

  ReplaySummary const& summary() const noexcept { return summary_; }
  std::string const& name() const noexcept { return name_; }
  std::string const& revision() const noexcept { return policy_->revision; }

 private:
  PolicyReplay(std::string name, std::shared_ptr<policy::RegoPolicy const> policy,
               PolicyReads reads)
      : name_{std::move(name)}, policy_{std::move(policy)}, reads_{reads} {}

  // False: what comes behind this hop would not have happened.
  bool judge_hop(audit::Record const& record, std::size_t index, OnChange const& on_change);
  std::vector<Unrecorded> unrecorded_of(audit::Record const& record, audit::Hop const& hop) const;
  policy::Judgement judgement_of(audit::Record const& record, std::size_t index,
                                 url::Url const& url) const;

  std::string name_;
  std::shared_ptr<policy::RegoPolicy const> policy_;
  PolicyReads reads_;
  bool judges_sockets_{false};  // by the name of its rule; else it judges all that are none
  ReplaySummary summary_;
};

}  // namespace sallyport::app
