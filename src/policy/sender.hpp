// Port: sends what a policy asks for with http.send. `pipeline` makes it, by the road out.
#pragma once

#include "src/policy/question.hpp"

#include <cstddef>
#include <string>

namespace sallyport::policy {

struct SendRequest {
  std::string method;
  std::string url;
  http::Headers headers;
  std::string body;
  bool follow_redirects{false};
  std::size_t max_response_bytes{1024UL * 1024};
  Deadline deadline;
};

class Sender {
 public:
  virtual ~Sender() = default;

  // For the sake of `judged`, what the policy judges, which must outlive the task. From any loop.
  // Fails as the road does; a status of 400 and more is an answer.
  virtual Task<http::Response> send(SendRequest request, Question judged) = 0;
};

}  // namespace sallyport::policy
