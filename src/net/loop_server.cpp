#include "src/net/loop_server.hpp"

#include "src/base/log.hpp"
#include "src/base/random_id.hpp"
#include "src/net/connection.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace sallyport::net {
namespace {

using namespace std::chrono_literals;

// More than these are closed without a word while the limit of connections is reached.
constexpr std::size_t kMaxTurnedAway = 64;
constexpr auto kPauseWithoutDescriptors = 100ms;

Clock::duration tick_for(ServerLimits const& limits) {
  auto const shortest = std::min(
      {limits.header_timeout, limits.body_timeout, limits.idle_timeout, limits.write_timeout});
  return std::clamp<Clock::duration>(shortest / 4, 10ms, 500ms);
}

// RFC 9110, section 5.6.7. strftime would follow the locale.
std::string http_date(std::time_t second) {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm parts{};
  gmtime_r(&second, &parts);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays[static_cast<std::size_t>(parts.tm_wday)], parts.tm_mday,
                     kMonths[static_cast<std::size_t>(parts.tm_mon)], parts.tm_year + 1900,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

void log_failure(std::string_view child, Error const& error) {
  log::error("connection failed",
             {{"task", child}, {"error", error.message}, {"detail", error.detail}});
}

}  // namespace

LoopServer::LoopServer(Executor executor, ServerShared& shared, std::optional<Acceptor> acceptor)
    : executor_{executor},
      shared_{shared},
      acceptor_{std::move(acceptor)},
      tick_{executor},
      tick_length_{tick_for(shared.limits)},
      id_prefix_{random_id(4) + '-'},
      serving_{executor, log_failure},
      overseers_{executor, log_failure} {}

LoopServer::~LoopServer() = default;

void LoopServer::start() {
  started_ = true;
  overseers_.spawn("overseer", oversee());
  if (acceptor_) serving_.spawn("acceptor", accept(*acceptor_));
}

Task<void> LoopServer::accept(Acceptor& acceptor) {
  Timer pause{executor_};
  while (!stopping_) {
    auto [error, socket] = co_await acceptor.async_accept(use_tuple);
    if (!error) {
      adopt(std::move(socket));
    } else if (!stopping_ && error != asio::error::connection_aborted) {
      // Mostly: no file descriptor left. Trying again at once would only burn the processor.
      log::warn("accept failed", {{"error", error.message()}});
      pause.expires_after(kPauseWithoutDescriptors);
      co_await pause.async_wait(use_tuple);
    }
  }
  co_return Result<void>{};
}

void LoopServer::adopt(Socket socket) {
  if (stopping_) return;
  if (shared_.connections.fetch_add(1) < shared_.limits.connections) {
    serving_.spawn("connection", serve(std::move(socket)));
    return;
  }
  shared_.connections.fetch_sub(1);
  // A handshake is what an overloaded server can afford least: with TLS it just hangs up.
  if (!shared_.tls && shared_.turned_away.fetch_add(1) < kMaxTurnedAway) {
    serving_.spawn("turned away", turn_away(std::move(socket)));
    return;
  }
  if (!shared_.tls) shared_.turned_away.fetch_sub(1);
  shared_.metrics.too_many.add();
}

Task<void> LoopServer::serve(Socket socket) {
  shared_.metrics.connections.add(1);
  {
    Connection connection{*this, std::move(socket)};
    co_await connection.serve();
  }
  shared_.metrics.connections.add(-1);
  shared_.connections.fetch_sub(1);
  co_return Result<void>{};
}

Task<void> LoopServer::turn_away(Socket socket) {
  {
    Connection connection{*this, std::move(socket)};
    co_await connection.turn_away();
  }
  shared_.turned_away.fetch_sub(1);
  co_return Result<void>{};
}

LoopServer::Place LoopServer::enter(Connection& connection) {
  return connections_.insert(connections_.end(), &connection);
}

void LoopServer::leave(Place place) {
  connections_.erase(place);
  if (stopping_ && connections_.empty()) tick_.cancel();
}

Task<void> LoopServer::oversee() {
  while (!stopping_ || !connections_.empty()) {
    auto const next = Clock::now() + tick_length_;
    tick_.expires_at(std::min(next, std::max(cut_at_, Clock::now() + 10ms)));
    co_await tick_.async_wait(use_tuple);
    sweep(Clock::now());
  }
  co_await serving_.join();
  // Posted, so that this coroutine is gone when it is called.
  asio::post(executor_, std::exchange(on_done_, nullptr));
  co_return Result<void>{};
}

void LoopServer::sweep(Clock::time_point now) {
  for (auto* const connection : connections_) connection->check_time(now);
  if (now < cut_at_) return;
  for (auto* const connection : connections_) connection->cut();
  // Again at each tick: a handler may have begun to wait for something else.
  serving_.stop(asio::cancellation_type::terminal);
}

void LoopServer::stop(Clock::time_point cut_at, std::function<void()> on_done) {
  stopping_ = true;
  cut_at_ = cut_at;
  on_done_ = std::move(on_done);
  if (acceptor_) {
    ErrorCode ignored;
    acceptor_->close(ignored);
  }
  if (!started_) overseers_.spawn("overseer", oversee());
  for (auto* const connection : connections_) connection->stop();
  tick_.cancel();
}

void LoopServer::hasten(Clock::time_point cut_at) {
  cut_at_ = std::min(cut_at_, cut_at);
  tick_.cancel();
}

std::string_view LoopServer::date() {
  auto const now = std::time(nullptr);
  if (now != date_second_) {
    date_second_ = now;
    date_ = http_date(now);
  }
  return date_;
}

void LoopServer::mint_request_id(std::string& id) {
  id.assign(id_prefix_);
  id += fmt::format_int{++next_id_}.c_str();
}

}  // namespace sallyport::net
