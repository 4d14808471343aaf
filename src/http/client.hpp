// Port: sends one HTTP request. `egress` implements it; nothing else opens a connection.
#pragma once

#include "src/base/task.hpp"
#include "src/http/message.hpp"

#include <cstddef>
#include <string>

namespace sallyport::http {

struct ClientRequest {
  std::string method{"GET"};
  std::string url;
  Headers headers;
  std::string body;
  Deadline deadline;
  std::size_t max_response_bytes{1024 * 1024};
};

class Client {
 public:
  virtual ~Client() = default;

  // From any loop; resumes on the caller's. Fails with UpstreamFailed, DeadlineExceeded,
  // LimitExceeded or Cancelled. Redirects are not followed.
  virtual Task<Response> send(ClientRequest request) = 0;
};

}  // namespace sallyport::http
