// One exchange on its way through libcurl: what it may take and how long, what has come back.
//
// Of the curl thread alone. Inside egress.
#pragma once

#include "src/egress/curl_handle.hpp"
#include "src/egress/delivery.hpp"
#include "src/egress/prepared_request.hpp"
#include "src/egress/socket_watches.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::egress {

class Transfer;

// What the transfers and the loop that runs them tell each other.
struct LoopState {
  SocketWatches& watches;
  Clock::time_point now{};                                // of this turn of the loop
  Clock::time_point next_look{Clock::time_point::max()};  // when some transfer may be overdue
  std::vector<Transfer*> to_hold;                         // to be paused after libcurl returns
};

class Transfer {
 public:
  Transfer(std::unique_ptr<PreparedRequest> request, std::shared_ptr<Delivery> delivery,
           CurlHandle handle, ConnectorOptions const& options, LoopState& loop);
  ~Transfer();
  Transfer(Transfer const&) = delete;
  Transfer& operator=(Transfer const&) = delete;

  CURL* handle() const noexcept { return handle_.get(); }
  bool was_held() const noexcept { return held_ || was_held_; }
  CurlHandle take_handle() noexcept { return std::move(handle_); }

  // Points the handle to the next address after connecting failed and nothing was sent. False: no
  // more addresses, or it is too late for another. The handle must not run.
  bool try_next(CURLcode failed);

  // When time may run out.
  Clock::time_point due() const noexcept;
  // What to fail with when it did; moves due() where there was progress meanwhile. TryNext: this
  // address took too long, another is left.
  enum class Overdue { No, Yes, TryNext };
  Overdue look();

  void hold();       // stops receiving, until go_on()
  bool go_on();      // false: the transfer has failed
  bool send_more();  // the same, of the request's body
  void end(CURLcode code);
  void end(Error failure);

  std::size_t place{0};  // in the loop's list

 private:
  enum class Phase { Connecting, Waiting, Body };

  void set_up();
  void set_method();
  void set_upload();
  bool set_pauses();
  void release_writer();
  void enter(Phase phase);
  bool through_proxy_by_name() const noexcept;
  bool has_more_addresses() const noexcept;
  bool may_connect_to(url::IpAddress const& address, std::uint16_t port) const noexcept;
  Clock::time_point deadline() const noexcept;
  Error late() const;
  ExchangeStats stats() const;
  std::int64_t progress() const;

  std::size_t take_header(std::string_view line);
  void take_status_line(std::string_view line);
  void take_field(std::string_view line);
  bool complete_head();
  std::size_t take_body(std::string_view bytes);
  std::size_t give_body(std::span<char> into);
  std::uint64_t received() const;
  bool is_too_much(std::size_t more);
  std::size_t refuse(Error error);
  std::size_t refuse(Errc code, std::string message);

  static std::size_t on_header(char* data, std::size_t one, std::size_t size, void* self) noexcept;
  static std::size_t on_body(char* data, std::size_t one, std::size_t size, void* self) noexcept;
  static std::size_t on_read(char* into, std::size_t one, std::size_t size, void* self) noexcept;
  static curl_socket_t on_open(void* self, curlsocktype purpose, curl_sockaddr* address) noexcept;
  static int on_connected(void* self, char* address, char* local, int port,
                          int local_port) noexcept;

  std::unique_ptr<PreparedRequest> request_;
  std::shared_ptr<Delivery> delivery_;
  CurlHandle handle_;
  ConnectorOptions const& options_;
  LoopState& loop_;
  ExchangeLimits const limits_;

  Phase phase_{Phase::Connecting};
  Clock::time_point started_;
  Clock::time_point since_;  // the attempt, the request's end, the last byte
  std::int64_t seen_progress_{0};
  std::size_t address_{0};
  bool opened_socket_{false};
  bool held_{false};  // nobody reads the answer
  bool was_held_{false};
  bool starved_{false};  // nobody writes the request's body
  bool quiet_{false};    // events come when something happens: silence is no fault

  ResponseHead head_;
  std::string body_;  // of a whole answer
  std::string connected_address_;
  std::size_t header_bytes_{0};
  std::size_t delivered_{0};
  bool has_head_{false};
  bool decompressed_{false};
  std::optional<Error> failure_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
};

}  // namespace sallyport::egress
