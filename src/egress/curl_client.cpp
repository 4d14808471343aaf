#include "src/egress/curl_client.hpp"

#include "src/egress/curl_thread.hpp"
#include "src/egress/curl_transfer.hpp"

#include <boost/asio/post.hpp>

#include <fstream>
#include <mutex>
#include <optional>
#include <utility>

namespace sallyport::egress {
namespace {

// Where the coroutine of send() and the curl thread meet. The lock decides who of them was first
// when an answer arrives while the caller gives up; after that the loop is not touched any more,
// so it may go.
class Meeting : public std::enable_shared_from_this<Meeting> {
 public:
  Meeting(Executor executor, Timer& timer) : executor_{std::move(executor)}, timer_{&timer} {}

  // On the curl thread.
  void deliver(Result<http::Response> outcome) {
    std::lock_guard const lock{mutex_};
    if (timer_ == nullptr) return;
    outcome_ = std::move(outcome);
    asio::post(executor_, [self = shared_from_this()] { self->wake(); });
  }

  // On the loop: nobody waits from now on.
  std::optional<Result<http::Response>> leave() {
    std::lock_guard const lock{mutex_};
    timer_ = nullptr;
    return std::exchange(outcome_, std::nullopt);
  }

 private:
  void wake() {
    std::lock_guard const lock{mutex_};
    if (timer_ != nullptr) timer_->cancel();
  }

  std::mutex mutex_;
  Executor executor_;
  Timer* timer_;  // of the waiting coroutine; used on its loop only
  std::optional<Result<http::Response>> outcome_;
};

// A transfer under way. Whatever ends the coroutine, also an exception or the end of its loop,
// takes the transfer off the curl thread.
class Submission {
 public:
  Submission(std::shared_ptr<CurlMailbox> mailbox, std::shared_ptr<Meeting> meeting)
      : mailbox_{std::move(mailbox)}, meeting_{std::move(meeting)} {}
  Submission(Submission const&) = delete;
  Submission& operator=(Submission const&) = delete;
  ~Submission() { finish(); }

  Result<void> submit(std::unique_ptr<CurlTransfer> transfer) {
    SP_TRY(id_, mailbox_->submit(std::move(transfer), [meeting = meeting_](auto outcome) {
      meeting->deliver(std::move(outcome));
    }));
    return {};
  }

  std::optional<Result<http::Response>> finish() {
    auto outcome = meeting_->leave();
    if (id_ != 0 && !outcome) mailbox_->cancel(id_);
    id_ = 0;
    return outcome;
  }

 private:
  std::shared_ptr<CurlMailbox> mailbox_;
  std::shared_ptr<Meeting> meeting_;
  CurlMailbox::Id id_{0};
};

}  // namespace

Result<std::unique_ptr<CurlClient>> CurlClient::create(ClientOptions options) {
  if (!options.ca_file.empty() && !std::ifstream{options.ca_file}.is_open()) {
    return fail(Errc::InvalidInput, "The file of trusted certificates cannot be read.",
                options.ca_file);
  }
  return std::unique_ptr<CurlClient>{
      new CurlClient{std::make_unique<CurlThread>(std::move(options))}};
}

CurlClient::CurlClient(std::unique_ptr<CurlThread> thread) : thread_{std::move(thread)} {}

CurlClient::~CurlClient() = default;

Task<http::Response> CurlClient::send(http::ClientRequest request) {
  Executor const executor = co_await asio::this_coro::executor;
  Timer answer_or_deadline{executor, request.deadline.at};
  auto mailbox = thread_->mailbox();
  SP_CO_TRY(auto transfer, CurlTransfer::create(std::move(request), thread_->options()));
  Submission submission{mailbox, std::make_shared<Meeting>(executor, answer_or_deadline)};
  SP_CO_CHECK(submission.submit(std::move(transfer)));

  auto const [interrupted] = co_await answer_or_deadline.async_wait(use_tuple);

  if (auto outcome = submission.finish()) co_return *std::move(outcome);
  if (interrupted) co_return fail(Errc::Cancelled, "The request was cancelled.");
  co_return fail(Errc::DeadlineExceeded, "The request took too long.");
}

}  // namespace sallyport::egress
