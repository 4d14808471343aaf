// What policies send (http.send), by the road that they judge: guarded, judged by the rules that do
// not send themselves, counted and recorded.
#pragma once

#include "src/pipeline/road.hpp"
#include "src/policy/sender.hpp"

namespace sallyport::pipeline {

class PolicySender final : public policy::Sender {
 public:
  // `road` outlives it.
  explicit PolicySender(Road& road) : road_{road} {}

  Task<http::Response> send(policy::SendRequest request, policy::Question judged) override;

 private:
  Road& road_;
};

}  // namespace sallyport::pipeline
