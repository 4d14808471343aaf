#include "src/egress/loop_exchange.hpp"

#include "src/egress/answer_rules.hpp"
#include "src/egress/dial.hpp"
#include "src/egress/exchange_errors.hpp"
#include "src/egress/prepared_request.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/beast/http/error.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::egress {
namespace {

namespace parsing = boost::beast::http;
using boost::system::error_code;

// The server may be about to close what it has kept for as long as it said.
constexpr std::chrono::seconds kBeforeServerCloses{1};

std::chrono::microseconds since(Clock::time_point begin) {
  return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
}

Error cancelled() {
  return fail(Errc::Cancelled, "The request was cancelled.");
}

bool has_field(http::Headers const& headers, std::string_view name) {
  return headers.find(name) != nullptr;
}

}  // namespace

LoopExchange::LoopExchange(Dispatch dispatch, std::shared_ptr<LinePool> pool,
                           ConnectorOptions const& options, TlsClient& tls)
    : dispatch_{std::move(dispatch)},
      pool_{std::move(pool)},
      options_{options},
      tls_{tls},
      target_{dispatch_.url.target()} {}

LoopExchange::~LoopExchange() {
  if (counted_) --pool_->under_way;
}

Result<void> LoopExchange::check() const {
  SP_CHECK(check_sendable(dispatch_, target_));
  if (dispatch_.upload) {
    return fail(Errc::InvalidInput, "A body that is still being made cannot be sent here.");
  }
  if (pool_->under_way >= options_.max_exchanges) {
    return fail(Errc::LimitExceeded,
                fmt::format("Too many outgoing requests are under way (the limit is {}).",
                            options_.max_exchanges));
  }
  return {};
}

Task<void> LoopExchange::begin() {
  SP_CO_CHECK(check());
  ++pool_->under_way;
  counted_ = true;
  line_ = pool_->take(dispatch_.url.origin(), dispatch_.addresses);
  if (line_) {
    stats_.reused_connection = true;
    auto answered = co_await ask();
    if (answered || again_ == Again::No) co_return std::move(answered);
    stats_.reused_connection = false;
    failure_.reset();
  }
  SP_CO_CHECK(co_await connect());
  co_return co_await ask();
}

Task<void> LoopExchange::connect() {
  phase_ = Phase::Connecting;
  SocketDispatch const dispatch{.url = dispatch_.url,
                                .addresses = dispatch_.addresses,
                                .limits = {.connect = dispatch_.limits.connect},
                                .deadline = {first_deadline()}};
  SP_CO_TRY(auto wire, co_await dial(dispatch, options_, tls_, stats_));
  HttpLine::Place place{.origin = dispatch_.url.origin(), .peer = stats_.connected_address};
  auto const peer = url::IpAddress::parse(stats_.connected_address);
  if (options_.proxy || !peer) {
    place.addresses = dispatch_.addresses.all();
  } else {
    place.addresses = {*peer};
  }
  line_ = std::make_shared<HttpLine>(std::move(wire), std::move(place));
  co_return Result<void>{};
}

Task<void> LoopExchange::ask() {
  phase_ = Phase::Waiting;
  again_ = Again::No;
  stats_.connected_address = line_->place().peer;
  start_parser();
  auto const text = spell_request();
  SP_CO_CHECK(co_await send_request(text));
  SP_CO_CHECK(co_await receive_head());
  while (dispatch_.whole && phase_ == Phase::Body) {
    SP_CO_CHECK(co_await receive_more(Clock::now() + dispatch_.limits.stall));
  }
  co_return Result<void>{};
}

void LoopExchange::start_parser() {
  parser_.emplace(dispatch_.limits.header_bytes - header_bytes_, dispatch_.method == "HEAD");
}

std::string LoopExchange::spell_request() const {
  std::string text;
  text.reserve(512 + dispatch_.body.size());
  text.append(dispatch_.method).append(" ").append(target_).append(" HTTP/1.1\r\nHost: ");
  text.append(dispatch_.url.authority()).append("\r\n");
  for (auto const& [name, value] : dispatch_.headers) {
    text.append(name).append(": ").append(value).append("\r\n");
  }
  if (!names_encodings()) text.append("Accept-Encoding: identity\r\n");
  if (sends_length(dispatch_)) {
    fmt::format_to(std::back_inserter(text), "Content-Length: {}\r\n", dispatch_.body.size());
  }
  return text.append("\r\n").append(dispatch_.body);
}

Task<void> LoopExchange::send_request(std::string const& text) {
  auto const head = text.size() - dispatch_.body.size();
  for (std::size_t sent = 0; sent < text.size();) {
    auto const now = Clock::now();
    line_->break_at(
        std::min<Clock::time_point>(first_deadline(), now + dispatch_.limits.first_byte));
    auto const some =
        co_await line_->send_some(asio::buffer(text.data() + sent, text.size() - sent));
    sent += some.size;
    stats_.bytes_sent = sent > head ? sent - head : 0;
    if (!some.error) continue;
    if (line_->is_late()) co_return give_up(late());
    if (some.error == asio::error::operation_aborted) co_return give_up(cancelled());
    // The server has not got all of it, so it did nothing yet.
    if (stats_.reused_connection) again_ = Again::Yes;
    co_return give_up(
        fail(Errc::UpstreamFailed,
             fmt::format("The connection to {} broke before the answer was complete.", host()),
             some.error.message()));
  }
  co_return Result<void>{};
}

Task<void> LoopExchange::receive_head() {
  auto const due =
      std::min<Clock::time_point>(first_deadline(), Clock::now() + dispatch_.limits.first_byte);
  while (phase_ == Phase::Waiting) {
    SP_CO_CHECK(co_await receive_more(due));
  }
  co_return Result<void>{};
}

// Also the end of it, which may be the end of the answer.
Task<void> LoopExchange::receive_more(Clock::time_point late_at) {
  line_->break_at(
      std::min(late_at, phase_ == Phase::Waiting ? first_deadline() : dispatch_.deadline.at));
  auto const error = co_await line_->receive();
  if (error) co_return receive_end(error);
  if (auto parsed = parse(); !parsed) co_return give_up(std::move(parsed).error());
  // While nobody reads, nobody is late.
  if (line_) line_->break_at(dispatch_.deadline.at);
  co_return Result<void>{};
}

Result<void> LoopExchange::receive_end(error_code const& error) {
  if (line_->is_late()) return give_up(late());
  if (error == asio::error::operation_aborted) return give_up(cancelled());
  bool const closed = error == asio::error::eof;
  bool const silent = !parser_->got_some() && header_bytes_ == 0;
  if (silent && stats_.reused_connection) {
    if (is_idempotent(dispatch_.method)) again_ = Again::Yes;
    return give_up(
        fail(Errc::UpstreamFailed,
             fmt::format("{} closed the connection before it answered. The request was not sent "
                         "again, since it may have been carried out.",
                         host()),
             error.message()));
  }
  if (silent && closed) {
    return give_up(fail(Errc::UpstreamFailed,
                        fmt::format("{} closed the connection without an answer.", host())));
  }
  if (!closed && error != asio::ssl::error::stream_truncated) {
    return give_up(
        fail(Errc::UpstreamFailed,
             fmt::format("The connection to {} broke before the answer was complete.", host()),
             error.message()));
  }
  error_code incomplete = parsing::error::partial_message;
  // SECURITY: over TLS, only the server's own goodbye says that this was all.
  if (closed && parser_->got_some()) parser_->put_eof(incomplete);
  if (incomplete) return give_up(parse_failed(incomplete));
  finish();
  return {};
}

// Puts what has come into the parser, to the end of the answer or of the bytes.
Result<void> LoopExchange::parse() {
  while (!line_->unread().empty()) {
    error_code error;
    auto const bytes = line_->unread();
    auto const used = parser_->put(asio::buffer(bytes.data(), bytes.size()), error);
    line_->use(used);
    if (phase_ == Phase::Waiting) header_bytes_ += used;
    if (error && error != parsing::error::need_more) return parse_failed(error);
    if (parser_->is_header_done() && phase_ == Phase::Waiting) {
      if (parser_->is_interim()) {
        if (parser_->head().status == 101) return parse_failed(parsing::error::bad_status);
        if (header_bytes_ >= dispatch_.limits.header_bytes) {
          return head_too_large(dispatch_.limits.header_bytes);
        }
        start_parser();
        continue;
      }
      SP_CHECK(check_head());
    }
    if (phase_ == Phase::Body) SP_CHECK(check_body());
    if (parser_->is_done()) {
      finish();
      return {};
    }
    if (used == 0 || error) break;
  }
  // Of a head, or of a line between chunks: Beast wants it as a whole.
  if (line_->unread().size() > dispatch_.limits.header_bytes) {
    return head_too_large(dispatch_.limits.header_bytes);
  }
  return {};
}

Result<void> LoopExchange::check_head() {
  phase_ = Phase::Body;
  stats_.first_byte = since(started_);
  auto const& head = parser_->head();
  bool const events = is_event_stream(head) && !is_bodiless();
  if (events && dispatch_.refuse_event_streams) return refused_event_stream();
  quiet_ = events && !dispatch_.whole;
  if (is_bodiless()) return {};
  auto const length = content_length(head.headers);
  if (length && *length > dispatch_.limits.body_bytes) {
    return answer_too_large(dispatch_.limits.body_bytes);
  }
  // It was asked not to.
  if (!names_encodings() && count_encodings(head.headers) > 0) {
    return fail(
        Errc::UpstreamFailed,
        fmt::format("The answer of {} is compressed, though it was asked for as it is.", host()));
  }
  return {};
}

Result<void> LoopExchange::check_body() {
  stats_.bytes_received = delivered_ + parser_->body().size();
  if (stats_.bytes_received <= dispatch_.limits.body_bytes) return {};
  parser_->body().clear();
  return answer_too_large(dispatch_.limits.body_bytes);
}

// The connection may serve another request, before anybody has read this answer's body.
void LoopExchange::finish() {
  phase_ = Phase::Over;
  stats_.total = since(started_);
  auto const line = std::exchange(line_, nullptr);
  if (!parser_->keep_alive() || !line->unread().empty()) return;
  std::chrono::seconds kept = options_.idle_connection;
  if (std::chrono::seconds const said{parser_->kept_seconds()}; said.count() > 0) {
    kept = std::min(kept, said - kBeforeServerCloses);
  }
  if (kept.count() > 0) pool_->put(line, Clock::now() + kept);
}

Error LoopExchange::give_up(Error failure) {
  line_.reset();
  phase_ = Phase::Over;
  stats_.total = since(started_);
  failure_ = failure;
  return failure;
}

Error LoopExchange::parse_failed(error_code const& error) {
  if (parser_->has_too_many_fields()) return too_many_fields();
  if (error == parsing::error::header_limit) return head_too_large(dispatch_.limits.header_bytes);
  if (error == parsing::error::partial_message) {
    bool const announced = parser_->is_header_done() && parser_->content_length().has_value();
    return fail(Errc::UpstreamFailed,
                fmt::format("The answer of {} ended before {}.", host(),
                            announced ? "its announced length" : "it was complete"));
  }
  return fail(Errc::UpstreamFailed, fmt::format("The answer of {} is not valid HTTP.", host()),
              error.message());
}

Error LoopExchange::late() const {
  bool const waiting = phase_ == Phase::Waiting;
  auto const now = Clock::now();
  if (now >= (waiting ? first_deadline() : dispatch_.deadline.at)) {
    return fail(Errc::DeadlineExceeded, fmt::format("The time for the request ran out {} {}.",
                                                    waiting ? "before an answer came from"
                                                            : "in the middle of the answer of",
                                                    host()));
  }
  if (waiting) {
    return fail(Errc::DeadlineExceeded, fmt::format("{} did not begin to answer within {}.", host(),
                                                    spell_time(dispatch_.limits.first_byte)));
  }
  return fail(Errc::DeadlineExceeded, fmt::format("The answer of {} stopped: nothing came for {}.",
                                                  host(), spell_time(dispatch_.limits.stall)));
}

bool LoopExchange::is_bodiless() const noexcept {
  auto const status = parser_->status();
  return dispatch_.method == "HEAD" || status == 204 || status == 304;
}

// Who asks for an encoding, or for a part of something, gets what comes.
bool LoopExchange::names_encodings() const noexcept {
  return has_field(dispatch_.headers, "Accept-Encoding");
}

Clock::time_point LoopExchange::first_deadline() const noexcept {
  return std::min(dispatch_.deadline.at, dispatch_.head_deadline.at);
}

std::string LoopExchange::take_body() {
  delivered_ += parser_->body().size();
  return std::exchange(parser_->body(), {});
}

Task<std::string> LoopExchange::read() {
  while (parser_->body().empty() && phase_ == Phase::Body) {
    auto const stall = quiet_ ? Clock::time_point::max() : Clock::now() + dispatch_.limits.stall;
    auto const more = co_await receive_more(stall);
    if (!more && parser_->body().empty()) co_return more.error();
  }
  if (parser_->body().empty() && failure_) co_return *failure_;
  co_return take_body();
}

Async<void> LoopExchange::end() {
  if (phase_ != Phase::Over) give_up(cancelled());
  co_return;
}

ExchangeStats LoopExchange::stats() const {
  auto stats = stats_;
  if (phase_ != Phase::Over) stats.total = since(started_);
  return stats;
}

}  // namespace sallyport::egress
