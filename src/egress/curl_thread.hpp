// The thread in which libcurl runs, and the mailbox through which other threads talk to it.
//
// Inside egress; others use CurlClient.
#pragma once

#include "src/egress/curl_client.hpp"
#include "src/egress/curl_transfer.hpp"

#include <cstddef>
#include <cstdint>
#include <curl/curl.h>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace sallyport::egress {

// What waits for the curl thread. Shared, because a coroutine may still cancel its transfer after
// the thread has ended. From any thread.
class CurlMailbox {
 public:
  using Id = std::uint64_t;
  // Called on the curl thread, once, unless the transfer is cancelled first. Must not block.
  using OnDone = std::function<void(Result<http::Response>)>;

  struct Submitted {
    Id id;
    std::unique_ptr<CurlTransfer> transfer;
    OnDone on_done;
  };
  struct Contents {
    std::vector<Submitted> submitted;
    std::vector<Id> cancelled;
    bool closed{false};
  };

  CurlMailbox(CURLM* multi, std::size_t capacity) : capacity_{capacity}, multi_{multi} {}

  // Fails with LimitExceeded when `capacity` transfers are under way, with Cancelled once closed.
  Result<Id> submit(std::unique_ptr<CurlTransfer> transfer, OnDone on_done);
  void cancel(Id id);
  void close();

  // For the curl thread.
  Contents take();
  void release_one();  // a transfer has left

 private:
  std::size_t const capacity_;
  std::mutex mutex_;
  CURLM* multi_;  // nullptr once closed; woken under the lock, so it is never woken too late
  std::size_t under_way_{0};
  Id last_id_{0};
  Contents contents_;
};

// Owns the multi handle. The destructor ends what is under way with Cancelled and joins.
class CurlThread {
 public:
  explicit CurlThread(ClientOptions options);
  ~CurlThread();
  CurlThread(CurlThread const&) = delete;
  CurlThread& operator=(CurlThread const&) = delete;

  std::shared_ptr<CurlMailbox> const& mailbox() const noexcept { return mailbox_; }
  ClientOptions const& options() const noexcept { return options_; }

 private:
  struct Free {
    void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
  };
  struct Running {
    std::unique_ptr<CurlTransfer> transfer;
    CurlMailbox::OnDone on_done;
  };

  void run();
  void start(CurlMailbox::Submitted submitted);
  void abandon(CurlMailbox::Id id);
  void finish_done();
  void end_all();

  ClientOptions options_;
  std::unique_ptr<CURLM, Free> multi_;
  std::shared_ptr<CurlMailbox> mailbox_;
  std::unordered_map<CurlMailbox::Id, Running> running_;  // of the curl thread
  std::thread thread_;                                    // last: it uses the rest
};

}  // namespace sallyport::egress
