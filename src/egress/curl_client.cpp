#include "src/egress/curl_client.hpp"

#include "src/base/one_shot_event.hpp"
#include "src/egress/curl_thread.hpp"
#include "src/egress/curl_transfer.hpp"

#include <fstream>
#include <utility>

namespace sallyport::egress {
namespace {

// What the curl thread writes once and the coroutine of send() reads after `arrived`.
struct Answer {
  std::shared_ptr<OneShotEvent> arrived = OneShotEvent::make();
  Result<http::Response> outcome = fail(Errc::Internal, "Internal error.");
};

// A transfer under way. Whatever ends the coroutine, also an exception or the end of its loop,
// takes the transfer off the curl thread.
class Submission {
 public:
  Submission(std::shared_ptr<CurlMailbox> mailbox, CurlMailbox::Id id)
      : mailbox_{std::move(mailbox)}, id_{id} {}
  Submission(Submission const&) = delete;
  Submission& operator=(Submission const&) = delete;
  ~Submission() { mailbox_->cancel(id_); }  // nothing happens if it is done

 private:
  std::shared_ptr<CurlMailbox> mailbox_;
  CurlMailbox::Id id_;
};

CurlMailbox::OnDone deliver_to(std::shared_ptr<Answer> answer) {
  return [answer = std::move(answer)](Result<http::Response> outcome) {
    answer->outcome = std::move(outcome);
    answer->arrived->set();
  };
}

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
  auto const deadline = request.deadline;
  auto const mailbox = thread_->mailbox();
  auto const answer = std::make_shared<Answer>();
  SP_CO_TRY(auto transfer, CurlTransfer::create(std::move(request), thread_->options()));
  SP_CO_TRY(auto const id, mailbox->submit(std::move(transfer), deliver_to(answer)));
  Submission const submission{mailbox, id};

  auto const wakeup = co_await answer->arrived->wait(deadline);

  switch (wakeup) {
    case Wakeup::Happened: co_return std::move(answer->outcome);
    case Wakeup::Cancelled: co_return fail(Errc::Cancelled, "The request was cancelled.");
    case Wakeup::DeadlinePassed: break;
  }
  co_return fail(Errc::DeadlineExceeded, "The request took too long.");
}

}  // namespace sallyport::egress
