// The thread in which libcurl runs: its multi handle on an epoll loop of its own.
//
// Inside egress; others use CurlConnector.
#pragma once

#include "src/egress/curl_connector.hpp"
#include "src/egress/curl_handle.hpp"
#include "src/egress/exchange_mailbox.hpp"
#include "src/egress/socket_watches.hpp"
#include "src/egress/transfer.hpp"

#include <cstdint>
#include <curl/curl.h>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace sallyport::egress {

// The destructor ends what is under way with Cancelled and joins.
class ExchangeLoop {
 public:
  explicit ExchangeLoop(ConnectorOptions options);
  ~ExchangeLoop();
  ExchangeLoop(ExchangeLoop const&) = delete;
  ExchangeLoop& operator=(ExchangeLoop const&) = delete;

  std::shared_ptr<ExchangeMailbox> const& mailbox() const noexcept { return mailbox_; }

 private:
  struct FreeMulti {
    void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
  };

  void run();
  void wait();
  void act(int descriptor, std::uint32_t events);
  void advance_timer();
  void set_timer(long milliseconds);
  void drain();
  void start(ExchangeMailbox::Submitted submitted);
  void collect();
  void hold_back();
  void look_for_overdue();
  void restart(Transfer& transfer);
  void remove(Transfer& transfer);
  static curl_socket_t socket_others_wait_for(Transfer const& transfer);
  void look_after_others(curl_socket_t socket);
  void end_all();
  int next_timeout() const;

  static int on_socket(CURL* handle, curl_socket_t socket, int what, void* self, void*) noexcept;
  static int on_timer(CURLM* multi, long milliseconds, void* self) noexcept;
  static int on_close(void* self, curl_socket_t socket) noexcept;

  ConnectorOptions const options_;
  std::shared_ptr<ExchangeMailbox> mailbox_;
  int const epoll_;

  // Of the curl thread.
  SocketWatches watches_;
  LoopState state_;
  std::optional<Clock::time_point> timer_;
  ExchangeMailbox::Contents mail_;
  std::unique_ptr<CURLM, FreeMulti> multi_;  // after what its callbacks use
  CurlHandles handles_;
  std::vector<std::unique_ptr<Transfer>> running_;

  std::thread thread_;  // last: it uses the rest
};

}  // namespace sallyport::egress
