// Port: one source of a chain.
#pragma once

#include "src/policy/question.hpp"

#include <string>
#include <vector>

namespace sallyport::policy {

struct Judgement {
  bool allowed{false};
  std::vector<std::string> reasons;  // in the policy's own words; may be empty
  std::string revision;              // of the policy that judged; may be empty
  // It could not judge: what went wrong, for the log. Never `allowed` then.
  std::string problem;
  // It judged, but a part of it could not be evaluated and counted as undefined: for the log.
  std::string warning;
  // It does not judge this call, as if it were not in the chain.
  bool abstained{false};
};

class Source {
 public:
  virtual ~Source() = default;

  virtual Task<Judgement> judge(Question question) = 0;
  // For reasons and logs: "file fetch.rego".
  virtual std::string const& name() const noexcept = 0;
};

}  // namespace sallyport::policy
