// A source that is an OPA server: POST {url}/v1/data/{path} with {"input": …}.
//
// A server that does not answer must not slow every call down: after some failures in a row it is
// left alone for a while, and calls are denied at once. Retries are few, so that a server in
// trouble does not get twice the load.
#pragma once

#include "src/http/client.hpp"
#include "src/policy/source.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace sallyport::policy {

struct RemoteOptions {
  std::string url;                           // of the server: "https://opa.internal:8181"
  std::string policy_path;                   // "mcp/fetch"
  std::chrono::milliseconds timeout{5'000};  // of one question, a retry included
  int failures{5};                           // in a row, until it is left alone
  std::chrono::milliseconds left_alone{10'000};
};

// Lets through, or not, by how the last attempts ended. From any thread.
class Breaker {
 public:
  Breaker(int failures, Clock::duration left_alone)
      : failures_{failures}, left_alone_{left_alone} {}

  // False: not now. After the pause one attempt may try; the others wait for how it ends.
  bool may_try(Clock::time_point now);
  void succeeded() noexcept;
  void failed(Clock::time_point now) noexcept;

 private:
  int const failures_;
  Clock::duration const left_alone_;
  std::atomic<int> in_a_row_{0};
  std::atomic<Clock::rep> closed_until_{0};
};

// One retry for every ten questions, at most.
class RetryBudget {
 public:
  void asked() noexcept;
  bool may_retry() noexcept;

 private:
  static constexpr int kPerRetry = 10;
  static constexpr int kMost = 10 * kPerRetry;
  std::atomic<int> saved_{kPerRetry};
};

class RemoteSource final : public Source {
 public:
  // `client` outlives it.
  RemoteSource(RemoteOptions options, http::Client& client);

  Task<Judgement> judge(Question question) override;
  std::string const& name() const noexcept override { return name_; }

 private:
  Task<http::Response> ask(std::string body, Deadline deadline);

  RemoteOptions options_;
  std::string name_;
  std::string endpoint_;
  http::Client& client_;
  Breaker breaker_;
  RetryBudget budget_;
};

// What OPA's answer says. A document (`{"allow": …}`) or the rule itself (`true`).
Judgement read_answer(http::Response const& response);

}  // namespace sallyport::policy
