// One connection for HTTP/1.1 on one loop: its bytes, and the time at which it ends. Inside egress.
#pragma once

#include "src/egress/guard.hpp"
#include "src/egress/wire.hpp"

#include <boost/asio/buffer.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::egress {

class HttpLine : public std::enable_shared_from_this<HttpLine> {
 public:
  // Whom it leads to. A proxy does not say which of the addresses it was asked for it took in the
  // end, so all of them count.
  struct Place {
    std::string origin;  // "https://example.com:8443"
    std::string peer;    // the address at the other end of the socket
    std::vector<url::IpAddress> addresses;
  };

  HttpLine(Wire wire, Place place);

  Place const& place() const noexcept { return place_; }

  // When it breaks by itself; what waits then fails. Cheap: the clock is set anew only where it
  // would come too late.
  void break_at(Clock::time_point time);
  bool is_late() const noexcept { return late_; }

  // Whether a request can be sent: the server neither closed it nor said something unasked.
  bool is_fresh();

  // The first bytes of `text`, as many as go. Interrupted, it gives operation_aborted.
  struct Sent {
    boost::system::error_code error;
    std::size_t size{0};
  };
  Async<Sent> send_some(asio::const_buffer text);

  // Reads more behind what is unread.
  Async<boost::system::error_code> receive();
  std::string_view unread() const noexcept { return {buffer_.data() + begin_, end_ - begin_}; }
  void use(std::size_t bytes) noexcept;

 private:
  void start_clock(Clock::time_point time);
  void ring();
  void make_room();

  Wire wire_;
  Place place_;
  Timer clock_;
  Clock::time_point breaks_at_{Clock::time_point::max()};
  Clock::time_point rings_at_{Clock::time_point::max()};
  bool late_{false};
  std::vector<char> buffer_;
  std::size_t begin_{0};
  std::size_t end_{0};
};

}  // namespace sallyport::egress
