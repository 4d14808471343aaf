// The one HTTP client: everything that leaves the gateway goes through it.
//
// libcurl runs in one thread that this object owns; requests are posted to it and answers are
// posted back to the loop that asked. It follows no redirect, uses no proxy and no netrc of the
// environment, speaks http and https only and always verifies certificates.
#pragma once

#include "src/http/client.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace sallyport::egress {

class CurlThread;

struct ClientOptions {
  std::string ca_file;  // empty: the system's certificates
  std::chrono::milliseconds connect_timeout{10'000};
  std::size_t max_transfers{256};  // at once; what comes on top fails with LimitExceeded
};

class CurlClient final : public http::Client {
 public:
  // Starts the thread. Fails with InvalidInput when `ca_file` cannot be read.
  static Result<std::unique_ptr<CurlClient>> create(ClientOptions options = {});

  // Ends the thread; what is under way fails with Cancelled. Coroutines that still wait for an
  // answer then may outlive the client, and the client may outlive their loops.
  ~CurlClient() override;
  CurlClient(CurlClient const&) = delete;
  CurlClient& operator=(CurlClient const&) = delete;

  // Besides the failures of the port: InvalidInput for a header that cannot be sent.
  Task<http::Response> send(http::ClientRequest request) override;

 private:
  explicit CurlClient(std::unique_ptr<CurlThread> thread);

  std::unique_ptr<CurlThread> thread_;
};

}  // namespace sallyport::egress
