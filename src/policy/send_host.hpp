// What a policy that may send gets for http.send, in the thread where it is evaluated.
#pragma once

#include "src/policy/send_cache.hpp"
#include "src/policy/send_line.hpp"
#include "src/policy/send_request.hpp"
#include "src/rego/host.hpp"

#include <map>
#include <memory>
#include <string>

namespace sallyport::policy {

class SendHost final : public rego::Host {
 public:
  // Requests of one judgement; equal ones are sent once.
  static constexpr std::size_t kMostRequests = 16;

  // For one judgement, which must end at `deadline`. `line` and `cache` outlive it.
  SendHost(SendLine& line, SendCache& cache, Deadline deadline)
      : line_{line}, cache_{cache}, deadline_{deadline} {}

  Result<rego::Value> send(rego::Value request, rego::Arena& arena) override;
  // SECURITY: what depends on an answer that did not come must not silently be taken for absent.
  bool failed_send_is_final() const override { return true; }

 private:
  using Answer = Result<std::shared_ptr<http::Response const>>;

  Answer answer_to(ReadRequest read);
  Result<http::Response> exchange(ReadRequest const& read);
  void keep(ReadRequest const& read, http::Response const& response);

  SendLine& line_;
  SendCache& cache_;
  Deadline deadline_;
  std::map<std::string, Answer> answers_;  // by the key of the request
};

}  // namespace sallyport::policy
