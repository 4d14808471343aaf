// Through which other threads talk to the curl thread. Shared, because an exchange may still be
// given up after the thread has ended. From any thread. Inside egress.
#pragma once

#include "src/base/result.hpp"
#include "src/egress/delivery.hpp"
#include "src/egress/prepared_request.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace sallyport::egress {

class ExchangeMailbox {
 public:
  struct Submitted {
    std::unique_ptr<PreparedRequest> request;
    std::shared_ptr<Delivery> delivery;
  };
  struct Contents {
    std::vector<Submitted> submitted;
    std::vector<std::shared_ptr<Delivery>> given_up;
    std::vector<std::shared_ptr<Delivery>> wanted;  // held back, now to go on
    std::vector<std::shared_ptr<Delivery>> fed;     // there is more of its request's body
    bool closed{false};
  };

  explicit ExchangeMailbox(std::size_t capacity);
  ~ExchangeMailbox();
  ExchangeMailbox(ExchangeMailbox const&) = delete;
  ExchangeMailbox& operator=(ExchangeMailbox const&) = delete;

  // Fails with LimitExceeded when `capacity` exchanges are under way, with Cancelled once closed.
  Result<void> submit(std::unique_ptr<PreparedRequest> request, std::shared_ptr<Delivery> delivery);
  void give_up(std::shared_ptr<Delivery> delivery);
  void want_more(std::shared_ptr<Delivery> delivery);
  void feed(std::shared_ptr<Delivery> delivery);
  void close();

  // For the curl thread.
  int descriptor() const noexcept { return descriptor_; }  // readable when there is something
  void take(Contents& into);
  void release(std::size_t ended);

 private:
  void ring(std::unique_lock<std::mutex> lock);

  std::size_t const capacity_;
  int const descriptor_;
  std::mutex mutex_;
  bool rung_{false};
  std::size_t under_way_{0};
  Contents contents_;
};

}  // namespace sallyport::egress
