// c-ares on an event loop: one question to DNS, one answer.
//
// c-ares opens its own sockets and says which of them it waits for; this lends them to Asio, and
// keeps the one timer that c-ares needs for its retries. c-ares' header stays in the source file.
#pragma once

#include "src/base/task.hpp"
#include "src/egress/dns_resolver.hpp"
#include "src/url/ip_address.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming): c-ares' own
struct ares_channeldata;
struct ares_addrinfo;
// NOLINTEND(readability-identifier-naming)

namespace sallyport::egress {

enum class DnsStatus {
  Answered,
  NoSuchName,
  NoAddress,  // the name exists, but not with an address of this family
  TimedOut,
  Failed,     // SERVFAIL, REFUSED, no server to be reached, ...
  Cancelled,  // the channel went
};

struct DnsAnswer {
  DnsStatus status{DnsStatus::Failed};
  std::vector<url::IpAddress> addresses;
  std::chrono::seconds ttl{0};  // the shortest of the whole chain
  std::string why;              // c-ares' words, for the log
};

enum class Family { V4, V6 };

class AresChannel {
 public:
  using OnAnswer = std::function<void(DnsAnswer)>;

  // Fails with InvalidInput when a server's address cannot be read.
  static Result<std::unique_ptr<AresChannel>> create(Executor executor, DnsOptions const& options);
  // Questions under way are answered with Cancelled before it returns.
  ~AresChannel();
  AresChannel(AresChannel const&) = delete;
  AresChannel& operator=(AresChannel const&) = delete;

  // `on_answer` is called once, perhaps before this returns. It must not destroy the channel.
  void ask(std::string const& host, Family family, OnAnswer on_answer);

 private:
  struct Socket;
  struct Question;

  explicit AresChannel(Executor executor);
  static void on_socket_state(void* self, int descriptor, int readable, int writable);
  static void on_addresses(void* question, int status, int timeouts, ares_addrinfo* found);

  void watch(int descriptor, bool readable, bool writable);
  void wait_readable(std::shared_ptr<Socket> const& socket);
  void wait_writable(std::shared_ptr<Socket> const& socket);
  void process(int readable, int writable);
  void schedule();

  Executor executor_;
  Timer timer_;
  std::unordered_map<int, std::shared_ptr<Socket>> sockets_;
  ares_channeldata* channel_{nullptr};
  // Handlers that Asio has queued may run after we are gone; they hold this weakly.
  std::shared_ptr<bool> alive_{std::make_shared<bool>(true)};
};

}  // namespace sallyport::egress
