#include "src/egress/exchange_loop.hpp"

#include "src/base/assert.hpp"

#include <algorithm>
#include <array>
#include <sys/epoll.h>
#include <unistd.h>
#include <utility>

namespace sallyport::egress {
namespace {

// Once per process, before the first handle. Never undone: other loops may live.
CURLM* make_multi() {
  static auto const ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  SP_ASSERT(ready == CURLE_OK, "libcurl initializes");
  auto* const multi = curl_multi_init();
  SP_ASSERT(multi != nullptr, "libcurl gives a multi handle");
  return multi;
}

Transfer& transfer_of(CURL* handle) {
  void* transfer = nullptr;
  curl_easy_getinfo(handle, CURLINFO_PRIVATE, &transfer);
  return *static_cast<Transfer*>(transfer);
}

}  // namespace

ExchangeLoop::ExchangeLoop(ConnectorOptions options)
    : options_{std::move(options)},
      mailbox_{std::make_shared<ExchangeMailbox>(options_.max_exchanges)},
      epoll_{epoll_create1(EPOLL_CLOEXEC)},
      watches_{epoll_},
      state_{.watches = watches_},
      multi_{make_multi()},
      handles_{options_} {
  SP_ASSERT(epoll_ >= 0, "the system gives an epoll descriptor at start");
  auto* const multi = multi_.get();
  curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, &ExchangeLoop::on_socket);
  curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, &ExchangeLoop::on_timer);
  curl_multi_setopt(multi, CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi, CURLMOPT_PIPELINING, long{CURLPIPE_MULTIPLEX});
  curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, static_cast<long>(options_.pooled_connections));
  curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS,
                    static_cast<long>(options_.connections_per_host));
  epoll_event event{.events = EPOLLIN, .data = {.fd = mailbox_->descriptor()}};
  epoll_ctl(epoll_, EPOLL_CTL_ADD, mailbox_->descriptor(), &event);
  thread_ = std::thread{[this] { run(); }};
}

ExchangeLoop::~ExchangeLoop() {
  mailbox_->close();
  thread_.join();
  multi_.reset();  // closes the pooled connections, through on_close
  ::close(epoll_);
}

void ExchangeLoop::run() {
  while (!mail_.closed) {
    wait();
    advance_timer();
    hold_back();
    collect();
    look_for_overdue();
  }
  end_all();
}

int ExchangeLoop::next_timeout() const {
  auto const next = std::min(state_.next_look, timer_.value_or(Clock::time_point::max()));
  if (next == Clock::time_point::max()) return -1;
  auto const left = std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

void ExchangeLoop::wait() {
  std::array<epoll_event, 128> events;
  auto const count =
      epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), next_timeout());
  state_.now = Clock::now();
  bool has_mail = false;
  for (int i = 0; i < count; ++i) {
    auto const& event = events[static_cast<std::size_t>(i)];
    if (event.data.fd == mailbox_->descriptor()) {
      has_mail = true;
    } else {
      act(event.data.fd, event.events);
    }
  }
  if (has_mail) drain();
}

void ExchangeLoop::act(int descriptor, std::uint32_t events) {
  auto const mask = watches_.translate(descriptor, events);
  if (mask == 0) return;
  int running = 0;
  curl_multi_socket_action(multi_.get(), descriptor, mask, &running);
}

void ExchangeLoop::advance_timer() {
  // libcurl often wants to be called at once; a few rounds save as many turns of the loop.
  for (int round = 0; round < 4 && timer_ && *timer_ <= state_.now; ++round) {
    timer_.reset();
    int running = 0;
    curl_multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &running);
    if (timer_) continue;
    // libcurl says the same time only once, also where we came a little too early for it.
    long milliseconds = -1;
    curl_multi_timeout(multi_.get(), &milliseconds);
    set_timer(milliseconds);
  }
}

void ExchangeLoop::set_timer(long milliseconds) {
  if (milliseconds < 0) {
    timer_.reset();
  } else {
    timer_ =
        milliseconds == 0 ? state_.now : Clock::now() + std::chrono::milliseconds{milliseconds};
  }
}

void ExchangeLoop::drain() {
  hold_back();  // before somebody wants more
  std::uint64_t rings = 0;
  auto const got = ::read(mailbox_->descriptor(), &rings, sizeof rings);
  SP_ASSERT(got == sizeof rings, "a bell that was reported has rung");
  mailbox_->take(mail_);
  for (auto& submitted : mail_.submitted) start(std::move(submitted));
  for (auto const& delivery : mail_.wanted) {
    if (delivery->transfer == nullptr) continue;
    if (delivery->transfer->go_on()) {
      look_after_others(socket_others_wait_for(*delivery->transfer));
      continue;
    }
    delivery->transfer->end(CURLE_WRITE_ERROR);
    remove(*delivery->transfer);
  }
  for (auto const& delivery : mail_.fed) {
    if (delivery->transfer == nullptr || delivery->transfer->send_more()) continue;
    delivery->transfer->end(CURLE_READ_ERROR);
    remove(*delivery->transfer);
  }
  for (auto const& delivery : mail_.given_up) {
    if (delivery->transfer == nullptr) continue;  // it ended while the message was on its way
    delivery->transfer->end(fail(Errc::Cancelled, "The request was cancelled."));
    remove(*delivery->transfer);
  }
  mail_.submitted.clear();
  mail_.wanted.clear();
  mail_.fed.clear();
  mail_.given_up.clear();
}

void ExchangeLoop::start(ExchangeMailbox::Submitted submitted) {
  auto transfer =
      std::make_unique<Transfer>(std::move(submitted.request), std::move(submitted.delivery),
                                 handles_.take(&ExchangeLoop::on_close, this), options_, state_);
  auto const added = curl_multi_add_handle(multi_.get(), transfer->handle());
  SP_ASSERT(added == CURLM_OK, "a handle that does not run is accepted");
  transfer->place = running_.size();
  running_.push_back(std::move(transfer));
}

void ExchangeLoop::collect() {
  int left = 0;
  while (auto const* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    auto const code = message->data.result;  // the message dies with the next call
    auto& transfer = transfer_of(message->easy_handle);
    if (transfer.try_next(code)) {
      restart(transfer);
      continue;
    }
    transfer.end(code);
    remove(transfer);
  }
}

void ExchangeLoop::hold_back() {
  for (auto* const transfer : std::exchange(state_.to_hold, {})) transfer->hold();
}

// Times only move forward as long as a transfer makes progress, so that none has to be moved in a
// queue: now and then, all are looked at.
void ExchangeLoop::look_for_overdue() {
  if (state_.now < state_.next_look) return;
  auto next = Clock::time_point::max();
  for (std::size_t i = 0; i < running_.size();) {
    auto& transfer = *running_[i];
    switch (transfer.look()) {
      case Transfer::Overdue::Yes: remove(transfer); continue;  // another has its place now
      case Transfer::Overdue::TryNext:
        if (transfer.try_next(CURLE_OPERATION_TIMEDOUT)) restart(transfer);
        break;
      case Transfer::Overdue::No: break;
    }
    next = std::min(next, transfer.due());
    ++i;
  }
  state_.next_look = next;
}

void ExchangeLoop::restart(Transfer& transfer) {
  curl_multi_remove_handle(multi_.get(), transfer.handle());
  curl_multi_add_handle(multi_.get(), transfer.handle());
}

// Where others may share a connection with one that was held back: libcurl 7.88 then sometimes
// keeps what came for them, and waits for a socket that has nothing more to say.
curl_socket_t ExchangeLoop::socket_others_wait_for(Transfer const& transfer) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  if (transfer.was_held()) {
    curl_easy_getinfo(transfer.handle(), CURLINFO_ACTIVESOCKET, &socket);
  }
  return socket;
}

void ExchangeLoop::look_after_others(curl_socket_t socket) {
  if (socket == CURL_SOCKET_BAD) return;
  int running = 0;
  curl_multi_socket_action(multi_.get(), socket, CURL_CSELECT_IN, &running);
}

void ExchangeLoop::remove(Transfer& transfer) {
  auto const socket = socket_others_wait_for(transfer);
  curl_multi_remove_handle(multi_.get(), transfer.handle());
  handles_.give_back(transfer.take_handle());
  auto const place = transfer.place;
  std::swap(running_[place], running_.back());
  running_[place]->place = place;
  running_.pop_back();
  mailbox_->release(1);
  look_after_others(socket);
}

void ExchangeLoop::end_all() {
  while (!running_.empty()) {
    running_.back()->end(fail(Errc::Cancelled, "The request was cancelled."));
    remove(*running_.back());
  }
}

int ExchangeLoop::on_socket(CURL* /*handle*/, curl_socket_t socket, int what, void* self,
                            void* /*unused*/) noexcept {
  static_cast<ExchangeLoop*>(self)->watches_.want(socket, what);
  return 0;
}

int ExchangeLoop::on_timer(CURLM* /*multi*/, long milliseconds, void* self) noexcept {
  static_cast<ExchangeLoop*>(self)->set_timer(milliseconds);
  return 0;
}

int ExchangeLoop::on_close(void* self, curl_socket_t socket) noexcept {
  static_cast<ExchangeLoop*>(self)->watches_.forget(socket);
  return ::close(socket);
}

}  // namespace sallyport::egress
