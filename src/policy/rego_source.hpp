// A source that is Rego, evaluated in this process: on the loop of the call, or, where the policy
// uses http.send, in a thread beside the loops.
#pragma once

#include "src/base/published.hpp"
#include "src/base/worker_pool.hpp"
#include "src/policy/send_cache.hpp"
#include "src/policy/sender.hpp"
#include "src/policy/source.hpp"
#include "src/rego/rego.hpp"

#include <chrono>
#include <memory>
#include <optional>
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
  bool sends{false};  // some rule of it uses http.send
};

// Files of one policy with the documents beside them.
struct RegoFiles {
  std::vector<rego::Source> sources;
  std::string data;      // JSON object; empty: none
  std::string revision;  // of all of it
};

enum class HttpSend { Refused, Allowed };

// Fails with InvalidInput: every error of the files, one per line, or that `rule` is not in them.
// The detail has places and kinds of errors alone, for those who may not see the files.
Result<std::shared_ptr<RegoPolicy const>> compile_rego(RegoFiles const& files,
                                                       std::string_view rule, HttpSend http_send);

// What policies that use http.send are judged with. The threads block while they wait for answers.
// All outlive the source; the cache also outlives the threads.
struct Outside {
  WorkerPool& workers;
  Sender& sender;
  SendCache& cache;
  std::chrono::milliseconds time{10'000};  // of a judgement, instead of that of the limits
};

// What the policy says of a call, on this thread; a clock in the options stands for that time.
Judgement judge_with(RegoPolicy const& policy, Question question,
                     rego::EvaluationOptions const& options);

class RegoSource final : public Source {
 public:
  // Without an `outside`, what a policy sends fails, which denies.
  RegoSource(std::string name, std::shared_ptr<RegoPolicy const> policy, rego::Limits limits,
             std::optional<Outside> outside = {})
      : name_{std::move(name)}, policy_{std::move(policy)}, limits_{limits}, outside_{outside} {}

  // A policy that sends abstains from judging what policies send: it would have to ask again.
  Task<Judgement> judge(Question question) override;
  std::string const& name() const noexcept override { return name_; }
  // From any thread; calls that are being judged keep the one they have.
  void replace(std::shared_ptr<RegoPolicy const> policy) { policy_.publish(std::move(policy)); }

 private:
  Task<Judgement> judge_outside(Outside outside, Question question);

  std::string name_;
  Published<RegoPolicy> policy_;
  rego::Limits limits_;
  std::optional<Outside> outside_;
};

}  // namespace sallyport::policy
