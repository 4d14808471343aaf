#include "src/egress/curl_thread.hpp"

#include "src/base/assert.hpp"

#include <utility>

namespace sallyport::egress {
namespace {

constexpr int kLongestPoll = 60'000;  // milliseconds; every change wakes us earlier

// Once per process, before the first handle. Never undone: other clients may live.
CURLM* make_multi() {
  static auto const ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  SP_ASSERT(ready == CURLE_OK, "libcurl initializes");
  auto* const multi = curl_multi_init();
  SP_ASSERT(multi != nullptr, "libcurl gives a multi handle");
  return multi;
}

// The id travels in the handle, from submission to the end.
void set_id(CURL* handle, CurlMailbox::Id id) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): libcurl hands it back unread.
  curl_easy_setopt(handle, CURLOPT_PRIVATE, reinterpret_cast<void*>(id));
}

CurlMailbox::Id id_of(CURL* handle) {
  void* id = nullptr;
  curl_easy_getinfo(handle, CURLINFO_PRIVATE, &id);
  return reinterpret_cast<CurlMailbox::Id>(id);
}

}  // namespace

Result<CurlMailbox::Id> CurlMailbox::submit(std::unique_ptr<CurlTransfer> transfer,
                                            OnDone on_done) {
  std::lock_guard const lock{mutex_};
  if (multi_ == nullptr) return fail(Errc::Cancelled, "The request was cancelled.");
  if (under_way_ >= capacity_) {
    return fail(Errc::LimitExceeded, "Too many outgoing requests are under way.");
  }
  ++under_way_;
  contents_.submitted.push_back({++last_id_, std::move(transfer), std::move(on_done)});
  curl_multi_wakeup(multi_);
  return last_id_;
}

void CurlMailbox::cancel(Id id) {
  std::lock_guard const lock{mutex_};
  if (multi_ == nullptr) return;
  contents_.cancelled.push_back(id);
  curl_multi_wakeup(multi_);
}

void CurlMailbox::close() {
  std::lock_guard const lock{mutex_};
  contents_.closed = true;
  curl_multi_wakeup(multi_);
  multi_ = nullptr;
}

CurlMailbox::Contents CurlMailbox::take() {
  std::lock_guard const lock{mutex_};
  auto taken = std::exchange(contents_, {});
  contents_.closed = taken.closed;
  return taken;
}

void CurlMailbox::release_one() {
  std::lock_guard const lock{mutex_};
  --under_way_;
}

CurlThread::CurlThread(ClientOptions options)
    : options_{std::move(options)},
      multi_{make_multi()},
      mailbox_{std::make_shared<CurlMailbox>(multi_.get(), options_.max_transfers)},
      thread_{[this] { run(); }} {}

CurlThread::~CurlThread() {
  mailbox_->close();
  thread_.join();
}

void CurlThread::run() {
  while (true) {
    auto mail = mailbox_->take();
    for (auto& submitted : mail.submitted) start(std::move(submitted));
    for (auto const id : mail.cancelled) abandon(id);
    if (mail.closed) break;
    int still_running = 0;
    curl_multi_perform(multi_.get(), &still_running);
    finish_done();
    curl_multi_poll(multi_.get(), nullptr, 0, kLongestPoll, nullptr);
  }
  end_all();
}

void CurlThread::start(CurlMailbox::Submitted submitted) {
  auto* const handle = submitted.transfer->handle();
  set_id(handle, submitted.id);
  running_[submitted.id] = {std::move(submitted.transfer), std::move(submitted.on_done)};
  auto const added = curl_multi_add_handle(multi_.get(), handle);
  SP_ASSERT(added == CURLM_OK, "a fresh handle is accepted");
}

void CurlThread::abandon(CurlMailbox::Id id) {
  auto const found = running_.find(id);
  if (found == running_.end()) return;  // it ended while the cancellation was on its way
  curl_multi_remove_handle(multi_.get(), found->second.transfer->handle());
  running_.erase(found);
  mailbox_->release_one();
}

void CurlThread::finish_done() {
  int left = 0;
  while (auto const* message = curl_multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    auto const code = message->data.result;  // the message dies with the next call
    auto const found = running_.find(id_of(message->easy_handle));
    SP_ASSERT(found != running_.end(), "libcurl only reports what runs");
    auto ended = std::move(found->second);
    running_.erase(found);
    curl_multi_remove_handle(multi_.get(), ended.transfer->handle());
    mailbox_->release_one();
    ended.on_done(ended.transfer->finish(code));
  }
}

void CurlThread::end_all() {
  for (auto& [id, running] : running_) {
    curl_multi_remove_handle(multi_.get(), running.transfer->handle());
    running.on_done(fail(Errc::Cancelled, "The request was cancelled."));
  }
  running_.clear();
}

}  // namespace sallyport::egress
