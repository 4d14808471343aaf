// Everything that instantiates Beast's WebSocket: it takes long to compile.
#include "src/egress/beast_socket.hpp"

#include "src/base/assert.hpp"
#include "src/egress/agreement.hpp"
#include "src/egress/exchange_errors.hpp"

#include <boost/asio/ssl.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <utility>

namespace sallyport::egress {
namespace {

namespace websocket = boost::beast::websocket;
using boost::system::error_code;
using namespace std::chrono_literals;

// Read before anyone asks for it, so that pings behind it are heard.
constexpr std::size_t kReadAhead = 64UL * 1024;
// What a message costs besides its bytes.
constexpr std::size_t kCostOfMessage = 64;
// For the server's answer to our goodbye.
constexpr auto kGoodbye = 5s;
// For the server's end of the connection, once both have said goodbye: closing it before would
// reset it, and what we sent last could be lost. And so many bytes.
constexpr auto kLinger = 1s;
constexpr std::size_t kMostLingering = 1024UL * 1024;

// One connection, in callbacks: each of them keeps it alive, so that its owner can go at any time
// and leave the rest to the loop.
class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(Wire wire, SocketLimits limits, ExchangeStats stats)
      : ws_{std::move(wire)},
        limits_{limits},
        stats_{std::move(stats)},
        keep_alive_{ws_.get_executor()},
        patience_{ws_.get_executor()},
        arrived_{ws_.get_executor(), Timer::time_point::max()},
        sent_{ws_.get_executor(), Timer::time_point::max()} {}

  Task<websocket::response_type> shake_hands(SocketDispatch const& dispatch) {
    configure(dispatch);
    websocket::response_type answer;
    auto const [error] = co_await ws_.async_handshake(answer, dispatch.url.authority(),
                                                      dispatch.url.target(), use_tuple);
    if (error == asio::error::operation_aborted) {
      co_return fail(Errc::Cancelled, "The request was cancelled.");
    }
    // Declined: it is for the caller to say what that means.
    if (!error || error == websocket::error::upgrade_declined) co_return std::move(answer);
    co_return handshake_failed(error, *dispatch.url.host());
  }

  void start() {
    ws_.control_callback([this](websocket::frame_type, boost::beast::string_view) { heard(); });
    using std::chrono::microseconds;
    stats_.first_byte =
        stats_.connect + std::chrono::duration_cast<microseconds>(Clock::now() - begin_);
    heard();
    watch();
    read_on();
  }

  Task<std::optional<SocketMessage>> next() {
    while (true) {
      if (!arrivals_.empty()) {
        auto message = std::move(arrivals_.front());
        arrivals_.pop_front();
        waiting_ -= message.data.size() + kCostOfMessage;
        read_on();
        co_return std::optional{std::move(message)};
      }
      if (failure_) co_return *failure_;
      if (over_) co_return std::optional<SocketMessage>{};
      SP_CO_CHECK(co_await wait_for(arrived_));
    }
  }

  Task<void> send(SocketMessage message) {
    if (over_ || said_goodbye_ || unsendable_) co_return closed();
    SP_ASSERT(!sending_, "one message at a time is sent");
    sending_ = true;
    outgoing_ = std::move(message.data);
    ws_.text(message.text);
    ws_.async_write(asio::buffer(outgoing_),
                    [self = shared_from_this()](error_code error, std::size_t) {
                      self->sending_ = false;
                      self->unsendable_ = self->unsendable_ || error;
                      self->sent_.cancel();
                    });
    while (sending_) {
      auto const waited = co_await wait_for(sent_);
      // Half of a message is no message.
      if (!waited) break_off("The gateway gave up.");
      SP_CO_CHECK(waited);
    }
    if (unsendable_) co_return closed();
    stats_.bytes_sent += outgoing_.size();
    co_return Result<void>{};
  }

  void close(std::optional<std::uint16_t> code, std::string const& reason) {
    if (over_ || said_goodbye_) return;
    websocket::close_reason goodbye;
    if (code) goodbye = {static_cast<websocket::close_code>(*code), reason};
    say_goodbye(goodbye, kGoodbye);
  }

  // Its owner is gone.
  void leave() {
    if (!over_ && !failure_) break_off("The gateway gave up.");
  }

  SocketClosing const& closing() const noexcept { return closing_; }
  ExchangeStats const& stats() const noexcept { return stats_; }

 private:
  using Stream = websocket::stream<Wire, true>;

  static Error closed() { return fail(Errc::UpstreamFailed, "The WebSocket is closed."); }

  static Error handshake_failed(error_code const& error, std::string_view host) {
    bool const broken = error.category() == asio::error::get_system_category() ||
                        error.category() == asio::error::get_misc_category() ||
                        error.category() == asio::error::get_ssl_category() ||
                        error == asio::ssl::error::stream_truncated ||
                        error == boost::beast::http::error::end_of_stream;
    return fail(Errc::UpstreamFailed,
                broken ? fmt::format("{} closed the connection without an answer.", host)
                       : fmt::format("The answer of {} is not one to a WebSocket handshake.", host),
                error.message());
  }

  void configure(SocketDispatch const& dispatch) {
    websocket::permessage_deflate compression;
    compression.client_enable = true;
    ws_.set_option(compression);
    ws_.set_option(websocket::stream_base::decorator{
        [headers = dispatch.headers](websocket::request_type& request) {
          for (auto const& [name, value] : headers) request.insert(name, value);
        }});
    ws_.read_message_max(limits_.message_bytes);
    ws_.auto_fragment(false);
    ws_.write_buffer_bytes(16UL * 1024);
  }

  static Task<void> wait_for(Timer& signal) {
    co_await signal.async_wait(use_tuple);
    auto const state = co_await asio::this_coro::cancellation_state;
    if (state.cancelled() != asio::cancellation_type::none) {
      co_return fail(Errc::Cancelled, "The request was cancelled.");
    }
    co_return Result<void>{};
  }

  // ---- What comes ----

  void read_on() {
    if (reading_ || over_ || said_goodbye_ || waiting_ >= kReadAhead) return;
    reading_ = true;
    ws_.async_read_some(asio::buffer(piece_),
                        [self = shared_from_this()](error_code error, std::size_t size) {
                          self->on_read(error, size);
                        });
  }

  void on_read(error_code error, std::size_t size) {
    reading_ = false;
    if (over_) return;
    heard();
    if (error) return on_read_error(error);
    message_.append(piece_.data(), size);
    stats_.bytes_received += size;
    if (limits_.received_bytes != 0 && stats_.bytes_received > limits_.received_bytes) {
      return refuse_more();
    }
    if (ws_.is_message_done()) {
      waiting_ += message_.size() + kCostOfMessage;
      arrivals_.push_back({ws_.got_text(), std::exchange(message_, {})});
      arrived_.cancel();
    }
    read_on();
  }

  void on_read_error(error_code const& error) {
    // Our goodbye has taken over the reading; it ends in on_goodbye(), or patience does.
    if (error == asio::error::operation_aborted && said_goodbye_ && !goodbye_failed_) return;
    if (error == websocket::error::closed) return closed_by_both();
    if (error == websocket::error::message_too_big) {
      failure_ = fail(Errc::LimitExceeded, fmt::format("The server sent a message of more than {}.",
                                                       spell_bytes(limits_.message_bytes)));
      return finish({1009, failure_->message});
    }
    if (error.category() == websocket::make_error_code(websocket::error::closed).category()) {
      return finish({1006, error == websocket::error::bad_frame_payload
                               ? "The server sent a text that is not UTF-8."
                               : "The server broke the rules of the protocol."});
    }
    break_off(error == asio::error::eof || error == asio::ssl::error::stream_truncated
                  ? "The server ended the connection without closing the WebSocket."
                  : "The connection broke.");
  }

  void refuse_more() {
    failure_ = fail(Errc::LimitExceeded, fmt::format("The server sent more than {} in all.",
                                                     spell_bytes(limits_.received_bytes)));
    closing_ = {1009, failure_->message};
    arrived_.cancel();
    if (!said_goodbye_) say_goodbye({websocket::close_code::too_big}, kLinger);
  }

  // ---- The end ----

  void say_goodbye(websocket::close_reason reason, Clock::duration patience) {
    said_goodbye_ = true;
    limit_patience(patience, "The server did not answer our close.");
    ws_.async_close(reason,
                    [self = shared_from_this()](error_code error) { self->on_goodbye(error); });
  }

  void on_goodbye(error_code error) {
    if (over_) return;
    if (!error) return closed_by_both();
    goodbye_failed_ = true;
    if (!reading_) break_off("The connection broke.");
  }

  void closed_by_both() {
    auto const& reason = ws_.reason();
    auto const code = reason.code == websocket::close_code::none ? 1005 : reason.code;
    finish({static_cast<std::uint16_t>(code), {reason.reason.data(), reason.reason.size()}});
  }

  void break_off(std::string why) {
    if (over_) return;
    end({1006, std::move(why)});
    cut();
  }

  void finish(SocketClosing closing) {
    end(std::move(closing));
    limit_patience(kLinger, {});
    linger();
  }

  void end(SocketClosing closing) {
    over_ = true;
    if (!failure_ || closing_.code == 1006) closing_ = std::move(closing);
    keep_alive_.cancel();
    arrived_.cancel();
  }

  void linger() {
    auto& tcp = ws_.next_layer().tcp();
    if (!tcp.is_open()) return cut();
    tcp.async_read_some(asio::buffer(piece_),
                        [self = shared_from_this()](error_code error, std::size_t size) {
                          self->lingered_ += size;
                          if (error || self->lingered_ > kMostLingering) return self->cut();
                          self->linger();
                        });
  }

  void cut() {
    patience_.cancel();
    beast_close_socket(ws_.next_layer());
  }

  void limit_patience(Clock::duration time, std::string why) {
    patience_.expires_after(time);
    patience_.async_wait([self = shared_from_this(), why = std::move(why)](error_code error) {
      if (error) return;
      if (self->over_) return self->cut();
      self->break_off(why);
    });
  }

  // ---- Silence ----

  void heard() {
    last_heard_ = Clock::now();
    pinged_ = false;
  }

  void watch() {
    if (limits_.keep_alive <= 0ms) return;
    keep_alive_.expires_at((pinged_ ? pinged_at_ : last_heard_) + limits_.keep_alive);
    keep_alive_.async_wait([self = shared_from_this()](error_code error) {
      if (!error && !self->over_) self->on_silence();
    });
  }

  void on_silence() {
    // While nobody reads, that we hear nothing says nothing.
    if (!reading_) heard();
    auto const now = Clock::now();
    if (pinged_ && now >= pinged_at_ + limits_.keep_alive) {
      return break_off("The server did not answer a ping.");
    }
    if (!pinged_ && now >= last_heard_ + limits_.keep_alive) ping();
    watch();
  }

  void ping() {
    pinged_ = true;
    pinged_at_ = Clock::now();
    if (std::exchange(pinging_, true)) return;  // the last one is not out yet
    ws_.async_ping({}, [self = shared_from_this()](error_code) { self->pinging_ = false; });
  }

  Stream ws_;
  SocketLimits const limits_;
  Clock::time_point const begin_{Clock::now()};
  ExchangeStats stats_;
  Timer keep_alive_;
  Timer patience_;  // with the server, at the end
  Timer arrived_;   // cancelled to wake next()
  Timer sent_;      // cancelled to wake send()
  std::array<char, 16384> piece_;
  std::string message_;  // as far as it has come
  std::deque<SocketMessage> arrivals_;
  std::size_t waiting_{0};  // what they cost
  std::string outgoing_;
  bool reading_{false};
  bool sending_{false};
  bool unsendable_{false};
  bool said_goodbye_{false};
  bool goodbye_failed_{false};
  bool over_{false};
  std::size_t lingered_{0};
  SocketClosing closing_;
  std::optional<Error> failure_;
  Clock::time_point last_heard_;
  Clock::time_point pinged_at_;
  bool pinged_{false};   // and nothing heard since
  bool pinging_{false};  // it is being sent
};

class BeastSocket final : public Socket {
 public:
  BeastSocket(std::shared_ptr<Session> session, std::string protocol, std::string extensions)
      : session_{std::move(session)},
        protocol_{std::move(protocol)},
        extensions_{std::move(extensions)} {}
  ~BeastSocket() override { session_->leave(); }
  BeastSocket(BeastSocket const&) = delete;
  BeastSocket& operator=(BeastSocket const&) = delete;

  std::string const& protocol() const noexcept override { return protocol_; }
  std::string const& extensions() const noexcept override { return extensions_; }
  Task<std::optional<SocketMessage>> next() override { return session_->next(); }
  Task<void> send(SocketMessage message) override { return session_->send(std::move(message)); }
  Task<void> close(std::optional<std::uint16_t> code, std::string reason) override {
    SP_CO_CHECK(check_goodbye(code, reason));
    session_->close(code, reason);
    co_return Result<void>{};
  }
  SocketClosing const& closing() const noexcept override { return session_->closing(); }
  ExchangeStats stats() const override { return session_->stats(); }

 private:
  std::shared_ptr<Session> session_;
  std::string protocol_;
  std::string extensions_;
};

ResponseHead head_of(websocket::response_type const& answer) {
  ResponseHead head{.status = static_cast<int>(answer.result_int()),
                    .reason = std::string{answer.reason()},
                    .version = "1.1"};
  for (auto const& field : answer) {
    head.headers.add(std::string{field.name_string()}, std::string{field.value()});
  }
  return head;
}

}  // namespace

Task<Handshake> shake_hands(Wire wire, SocketDispatch const& dispatch, ExchangeStats stats) {
  auto const session = std::make_shared<Session>(std::move(wire), dispatch.limits, stats);
  SP_CO_TRY(auto const answer, co_await session->shake_hands(dispatch));
  Handshake handshake{.head = head_of(answer), .socket = nullptr};
  if (handshake.head.status != 101) co_return std::move(handshake);
  SP_CO_TRY(auto protocol, agreed_protocol(dispatch.protocols, handshake.head.headers));
  session->start();
  handshake.socket = std::make_unique<BeastSocket>(session, std::move(protocol),
                                                   agreed_extensions(handshake.head.headers));
  co_return std::move(handshake);
}

}  // namespace sallyport::egress
