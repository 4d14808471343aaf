// A source that is Rego, evaluated in this process.
#pragma once

#include "src/base/published.hpp"
#include "src/policy/source.hpp"
#include "src/rego/rego.hpp"

#include <memory>
#include <string>
#include <vector>

namespace sallyport::policy {

// A compiled policy with what is asked of it. Immutable.
struct RegoPolicy {
  std::shared_ptr<rego::Query const> allow;
  // Beside `allow`, in its package, where they are defined.
  std::shared_ptr<rego::Query const> deny;
  std::vector<std::shared_ptr<rego::Query const>> explanations;  // deny, reason, reasons
  std::string revision;
};

// Files of one policy with the documents beside them.
struct RegoFiles {
  std::vector<rego::Source> sources;
  std::string data;      // JSON object; empty: none
  std::string revision;  // of all of it
};

// Fails with InvalidInput: every error of the files, one per line, or that `rule` is not in them.
// The detail has places and kinds of errors alone, for those who may not see the files.
Result<std::shared_ptr<RegoPolicy const>> compile_rego(RegoFiles const& files,
                                                       std::string_view rule);

// What the policy says of a call, on this thread; a clock in the options stands for that time.
Judgement judge_with(RegoPolicy const& policy, Query const& query,
                     rego::EvaluationOptions const& options);

class RegoSource final : public Source {
 public:
  RegoSource(std::string name, std::shared_ptr<RegoPolicy const> policy, rego::Limits limits)
      : name_{std::move(name)}, policy_{std::move(policy)}, limits_{limits} {}

  Task<Judgement> judge(Query const& query) override;
  std::string const& name() const noexcept override { return name_; }
  // From any thread; calls that are being judged keep the one they have.
  void replace(std::shared_ptr<RegoPolicy const> policy) { policy_.publish(std::move(policy)); }

 private:
  std::string name_;
  Published<RegoPolicy> policy_;
  rego::Limits limits_;
};

}  // namespace sallyport::policy
