// What the audit log hears of a journey.
#include "src/pipeline/journey.hpp"
#include "src/pipeline/passage_record.hpp"

#include <utility>

namespace sallyport::pipeline {
namespace {

// Whether somebody said no, as opposed to something that went wrong. Once a request is on its way,
// a limit is about its answer.
bool is_refusal(Errc code, bool sent) noexcept {
  switch (code) {
    case Errc::PolicyDenied:
    case Errc::EgressBlocked:
    case Errc::CredentialUnavailable: return true;
    case Errc::InvalidInput:
    case Errc::LimitExceeded: return !sent;
    case Errc::NotFound:
    case Errc::UpstreamFailed:
    case Errc::DeadlineExceeded:
    case Errc::Cancelled:
    case Errc::ClientCapabilityMissing:
    case Errc::InputRequired:
    case Errc::Internal: return false;
  }
  return false;
}

}  // namespace

void Journey::begin_hop(Hop const& hop) {
  stats_ = {};
  sent_ = false;
  auto& entry = record_.hops.emplace_back();
  entry.url = audit::masked_url(hop.url, parts_.mask);
  entry.method = hop.method;
}

void Journey::note_answer(url::Url const& url, egress::ResponseHead const& head) {
  record_.hops.back().status = head.status;
  record_.status = head.status;
  if (request_.after_hop) request_.after_hop(url, head);
}

void Journey::count_bytes() {
  record_.bytes_sent += stats_.bytes_sent;
  record_.bytes_received += stats_.bytes_received;
}

void Journey::add_figures(audit::Record& record) const {
  using std::chrono::duration_cast;
  using std::chrono::microseconds;
  record.bytes_sent += stats_.bytes_sent;
  record.bytes_received += stats_.bytes_received;
  record.connect = stats_.connect;
  record.first_byte = stats_.first_byte;
  record.total = duration_cast<microseconds>(Clock::now() - started_);
}

audit::Record Journey::take_record(std::optional<Error> const& failure) {
  // A call that fell before it had a URL is a passage too.
  if (record_.hops.empty())
    record_.hops.push_back({.url = audit::masked_text(request_.url), .method = request_.method});
  add_figures(record_);
  if (failure) {
    record_.error_code = to_string(failure->code);
    record_.error = failure->message;
    if (request_.upload) request_.upload->disconnect(*failure);
  }
  judge_record(failure);
  return std::move(record_);
}

audit::Record Journey::opened_record() const {
  auto record = record_;
  add_figures(record);
  record.stream = audit::StreamState::Opened;
  record.verdict = audit::Verdict::Allowed;
  record.reasons = allowed_by_;
  return record;
}

audit::Record Journey::take_closed_record(std::optional<Error> const& failure,
                                          egress::ExchangeStats stats) {
  auto record = take_only_record(failure, std::move(stats));
  record.stream = audit::StreamState::Closed;
  record.time = std::chrono::system_clock::now();
  return record;
}

audit::Record Journey::take_only_record(std::optional<Error> const& failure,
                                        egress::ExchangeStats stats) {
  stats_ = std::move(stats);
  slot_ = {};
  return take_record(failure);
}

// The last word counts: a call whose redirect is refused was denied, wherever its first hop went.
void Journey::judge_record(std::optional<Error> const& failure) {
  bool const denied = failure.has_value() && is_refusal(failure->code, sent_);
  record_.verdict = denied ? audit::Verdict::Denied : audit::Verdict::Allowed;
  if (!denied) record_.reasons = std::move(allowed_by_);
  // Not the policy: what it said in favour is no reason now.
  if (denied && record_.reasons.empty()) record_.reasons.push_back(failure->message);
}

}  // namespace sallyport::pipeline
