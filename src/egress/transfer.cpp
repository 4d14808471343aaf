#include "src/egress/transfer.hpp"

#include "src/egress/exchange_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::egress {
namespace {

// How long an address may keep others waiting.
constexpr std::chrono::seconds kLongestAttempt{3};

// What this libcurl can undo.
char const* encodings() {
  static auto const* const known = [] {
    auto const features = curl_version_info(CURLVERSION_NOW)->features;
    bool const brotli = (features & CURL_VERSION_BROTLI) != 0;
    bool const zstd = (features & CURL_VERSION_ZSTD) != 0;
    if (brotli && zstd) return "gzip, br, zstd, deflate";
    if (brotli) return "gzip, br, deflate";
    return zstd ? "gzip, zstd, deflate" : "gzip, deflate";
  }();
  return known;
}

template <class Value>
Value info(CURL* handle, CURLINFO what) {
  Value value{};
  curl_easy_getinfo(handle, what, &value);
  return value;
}

std::chrono::microseconds time_info(CURL* handle, CURLINFO what) {
  return std::chrono::microseconds{info<curl_off_t>(handle, what)};
}

}  // namespace

Transfer::Transfer(std::unique_ptr<PreparedRequest> request, std::shared_ptr<Delivery> delivery,
                   CurlHandle handle, ConnectorOptions const& options, LoopState& loop)
    : request_{std::move(request)},
      delivery_{std::move(delivery)},
      handle_{std::move(handle)},
      options_{options},
      loop_{loop},
      limits_{request_->dispatch().limits},
      started_{loop.now} {
  delivery_->transfer = this;
  set_up();
  enter(Phase::Connecting);
}

Transfer::~Transfer() {
  delivery_->transfer = nullptr;
  delivery_->spent = std::move(request_);
  std::erase(loop_.to_hold, this);
}

void Transfer::set_up() {
  auto* const handle = handle_.get();
  auto* const self = static_cast<void*>(this);
  set_option(handle, CURLOPT_PRIVATE, self);
  set_option(handle, CURLOPT_ERRORBUFFER, error_text_.data());
  set_option(handle, CURLOPT_URL, request_->origin().c_str());
  set_option(handle, CURLOPT_REQUEST_TARGET, request_->target().c_str());
  set_option(handle, CURLOPT_HTTPHEADER, request_->header_lines());
  set_option(handle, CURLOPT_CONNECT_TO,
             through_proxy_by_name() ? nullptr : request_->route_to(address_));
  set_option(handle, CURLOPT_ACCEPT_ENCODING, request_->decompresses() ? encodings() : nullptr);
  set_method();
  set_option(handle, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set_option(handle, CURLOPT_HEADERDATA, self);
  set_option(handle, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set_option(handle, CURLOPT_WRITEDATA, self);
  set_option(handle, CURLOPT_OPENSOCKETFUNCTION, &Transfer::on_open);
  set_option(handle, CURLOPT_OPENSOCKETDATA, self);
  set_option(handle, CURLOPT_PREREQFUNCTION, &Transfer::on_connected);
  set_option(handle, CURLOPT_PREREQDATA, self);
}

// The order matters: each of these options changes what libcurl takes for the method.
void Transfer::set_method() {
  auto* const handle = handle_.get();
  auto const& dispatch = request_->dispatch();
  auto const* const method = dispatch.method.c_str();
  if (dispatch.method == "HEAD") {
    set_option(handle, CURLOPT_UPLOAD, 0L);
    set_option(handle, CURLOPT_NOBODY, 1L);
    set_option(handle, CURLOPT_CUSTOMREQUEST, static_cast<char const*>(nullptr));
    return;
  }
  set_option(handle, CURLOPT_NOBODY, 0L);
  set_option(handle, CURLOPT_UPLOAD, dispatch.upload ? 1L : 0L);
  if (dispatch.upload) {
    set_upload();
  } else if (request_->has_body()) {
    set_option(handle, CURLOPT_POST, 1L);
    set_option(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(dispatch.body.size()));
    set_option(handle, CURLOPT_POSTFIELDS, dispatch.body.c_str());  // not copied
  } else {
    set_option(handle, CURLOPT_HTTPGET, 1L);
  }
  set_option(handle, CURLOPT_CUSTOMREQUEST, method);
}

void Transfer::set_upload() {
  auto* const handle = handle_.get();
  auto const size = request_->dispatch().upload->size();
  set_option(handle, CURLOPT_INFILESIZE_LARGE, size ? static_cast<curl_off_t>(*size) : -1);
  set_option(handle, CURLOPT_READFUNCTION, &Transfer::on_read);
  set_option(handle, CURLOPT_READDATA, static_cast<void*>(this));
}

void Transfer::enter(Phase phase) {
  phase_ = phase;
  since_ = loop_.now;
  loop_.next_look = std::min(loop_.next_look, due());
}

bool Transfer::through_proxy_by_name() const noexcept {
  return options_.proxy && options_.proxy->by_name;
}

bool Transfer::has_more_addresses() const noexcept {
  return !through_proxy_by_name() && address_ + 1 < request_->dispatch().addresses.all().size();
}

bool Transfer::try_next(CURLcode failed) {
  bool const unsent = phase_ == Phase::Connecting && !failure_;
  bool const in_vain = failed == CURLE_COULDNT_CONNECT || failed == CURLE_OPERATION_TIMEDOUT;
  if (!unsent || !in_vain || !has_more_addresses()) return false;
  if (loop_.now >= std::min<Clock::time_point>(started_ + limits_.connect, deadline())) {
    return false;
  }
  ++address_;
  set_option(handle_.get(), CURLOPT_CONNECT_TO, request_->route_to(address_));
  opened_socket_ = false;
  error_text_.fill('\0');
  enter(Phase::Connecting);
  return true;
}

// What an upload takes is its maker's time.
Clock::time_point Transfer::deadline() const noexcept {
  auto const& dispatch = request_->dispatch();
  bool const head_counts =
      phase_ == Phase::Connecting || (phase_ == Phase::Waiting && !dispatch.upload);
  return head_counts ? std::min(dispatch.deadline.at, dispatch.head_deadline.at)
                     : dispatch.deadline.at;
}

Clock::time_point Transfer::due() const noexcept {
  auto const last = deadline();
  switch (phase_) {
    case Phase::Connecting: {
      auto const whole = std::min<Clock::time_point>(last, started_ + limits_.connect);
      return has_more_addresses() ? std::min<Clock::time_point>(whole, since_ + kLongestAttempt)
                                  : whole;
    }
    case Phase::Waiting:
      return starved_ ? last : std::min<Clock::time_point>(last, since_ + limits_.first_byte);
    case Phase::Body: break;
  }
  // Nobody is late while one of our own keeps the origin waiting.
  return held_ || starved_ || quiet_ ? last
                                     : std::min<Clock::time_point>(last, since_ + limits_.stall);
}

Transfer::Overdue Transfer::look() {
  if (loop_.now < due()) return Overdue::No;
  if (loop_.now < deadline()) {
    if (phase_ == Phase::Connecting && has_more_addresses() &&
        loop_.now < started_ + limits_.connect) {
      return Overdue::TryNext;
    }
    // A long upload, or bytes that the decompressor keeps, are not silence.
    auto const& dispatch = request_->dispatch();
    bool const may_be_busy = phase_ == Phase::Waiting
                                 ? !dispatch.body.empty() || dispatch.upload
                                 : phase_ == Phase::Body && (decompressed_ || dispatch.upload);
    if (may_be_busy && std::exchange(seen_progress_, progress()) != seen_progress_) {
      since_ = loop_.now;
      return Overdue::No;
    }
  }
  end(late());
  return Overdue::Yes;
}

std::uint64_t Transfer::received() const {
  return static_cast<std::uint64_t>(info<curl_off_t>(handle_.get(), CURLINFO_SIZE_DOWNLOAD_T));
}

std::int64_t Transfer::progress() const {
  return info<curl_off_t>(handle_.get(), CURLINFO_SIZE_UPLOAD_T) +
         info<curl_off_t>(handle_.get(), CURLINFO_SIZE_DOWNLOAD_T);
}

Error Transfer::late() const {
  auto const& host = request_->host();
  if (loop_.now >= deadline()) {
    return fail(Errc::DeadlineExceeded,
                fmt::format("The time for the request ran out {} {}.",
                            phase_ == Phase::Connecting ? "while connecting to"
                            : phase_ == Phase::Waiting  ? "before an answer came from"
                                                        : "in the middle of the answer of",
                            host));
  }
  switch (phase_) {
    case Phase::Connecting:
      if (!opened_socket_) {
        return fail(Errc::DeadlineExceeded,
                    fmt::format("No connection to {} became free within {}.", host,
                                spell_time(limits_.connect)));
      }
      return fail(Errc::DeadlineExceeded,
                  fmt::format("Connecting to {} failed: no answer within {}.", host,
                              spell_time(limits_.connect)));
    case Phase::Waiting:
      return fail(Errc::DeadlineExceeded, fmt::format("{} did not begin to answer within {}.", host,
                                                      spell_time(limits_.first_byte)));
    case Phase::Body: break;
  }
  return fail(Errc::DeadlineExceeded, fmt::format("The answer of {} stopped: nothing came for {}.",
                                                  host, spell_time(limits_.stall)));
}

void Transfer::hold() {
  if (std::exchange(held_, true)) return;
  set_pauses();
}

bool Transfer::go_on() {
  if (!std::exchange(held_, false)) return true;
  was_held_ = true;
  enter(phase_);
  return set_pauses();
}

bool Transfer::send_more() {
  if (auto broken = request_->dispatch().upload->failure()) {
    failure_ = std::move(*broken);
    return false;
  }
  if (!std::exchange(starved_, false)) return true;
  enter(phase_);
  return set_pauses();
}

// This may hand over what libcurl has kept.
bool Transfer::set_pauses() {
  int const pauses = (held_ ? CURLPAUSE_RECV : 0) | (starved_ ? CURLPAUSE_SEND : 0);
  return curl_easy_pause(handle_.get(), pauses) == CURLE_OK && !failure_;
}

void Transfer::end(CURLcode code) {
  if (!failure_ && code != CURLE_OK) {
    failure_ = explain({.code = code,
                        .system_error = info<long>(handle_.get(), CURLINFO_OS_ERRNO),
                        .text = error_text_.data(),
                        .connecting = phase_ == Phase::Connecting,
                        .through_proxy = options_.proxy.has_value()},
                       request_->host());
  }
  release_writer();
  if (failure_ || !request_->dispatch().whole) {
    delivery_->put_end(std::move(failure_), stats());
  } else {
    delivery_->put_whole(std::move(head_), std::move(body_), stats());
  }
}

void Transfer::release_writer() {
  auto const& upload = request_->dispatch().upload;
  if (!upload) return;
  upload->disconnect(
      failure_ ? *failure_
               : fail(Errc::Cancelled, "The request is over; the rest of its body is not sent."));
}

void Transfer::end(Error failure) {
  if (!failure_) failure_ = std::move(failure);
  release_writer();
  delivery_->put_end(std::move(failure_), stats());
}

ExchangeStats Transfer::stats() const {
  auto* const handle = handle_.get();
  ExchangeStats stats;
  stats.connected_address = connected_address_;
  stats.reused_connection =
      phase_ != Phase::Connecting && info<long>(handle, CURLINFO_NUM_CONNECTS) == 0;
  stats.bytes_sent = static_cast<std::uint64_t>(info<curl_off_t>(handle, CURLINFO_SIZE_UPLOAD_T));
  // libcurl counts the framing of chunks, and may have taken what it did not send.
  if (auto const& upload = request_->dispatch().upload) {
    stats.bytes_sent = std::min(stats.bytes_sent, upload->taken());
  }
  stats.bytes_received = received();
  if (!stats.reused_connection) {
    stats.connect = std::max(time_info(handle, CURLINFO_CONNECT_TIME_T),
                             time_info(handle, CURLINFO_APPCONNECT_TIME_T));
  }
  stats.first_byte = time_info(handle, CURLINFO_STARTTRANSFER_TIME_T);
  stats.total = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - started_);
  return stats;
}

}  // namespace sallyport::egress
