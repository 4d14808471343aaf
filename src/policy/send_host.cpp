#include "src/policy/send_host.hpp"

#include "src/rego/json.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::policy {
namespace {

// The sender ends at the deadline and says so; who waits for it is a little more patient.
constexpr std::chrono::milliseconds kMargin{250};

}  // namespace

Result<rego::Value> SendHost::send(rego::Value request, rego::Arena& arena) {
  SP_TRY(auto read, read_send_request(request));
  auto const decode = read.decode;
  auto known = answers_.find(read.key);
  if (known == answers_.end()) {
    if (answers_.size() == kMostRequests) {
      return fail(Errc::LimitExceeded,
                  fmt::format("more than {} requests in one judgement", kMostRequests));
    }
    auto key = read.key;
    known = answers_.emplace(std::move(key), answer_to(std::move(read))).first;
  }
  auto const& answer = known->second;
  if (!answer) return answer.error();
  return answer_value(**answer, decode, arena);
}

SendHost::Answer SendHost::answer_to(ReadRequest read) {
  if (read.reuse != Reuse::No) {
    if (auto kept = cache_.find(read.key, Clock::now())) return kept;
  }
  SP_TRY(auto response, exchange(read));
  if (read.reuse != Reuse::No && is_cacheable_status(response.status)) keep(read, response);
  return std::make_shared<http::Response const>(std::move(response));
}

void SendHost::keep(ReadRequest const& read, http::Response const& response) {
  using namespace std::chrono;
  auto const lifetime =
      read.reuse == Reuse::Forced
          ? std::optional{read.forced_lifetime}
          : stated_lifetime(response.headers, floor<seconds>(system_clock::now()));
  if (lifetime) cache_.keep(read.key, response, Clock::now() + *lifetime);
}

Result<http::Response> SendHost::exchange(ReadRequest const& read) {
  auto request = read.request;
  request.deadline.at = std::min(deadline_.at, Clock::now() + read.timeout);
  auto answer = line_.ask(std::move(request), {deadline_.at + kMargin});
  if (answer) return answer;
  auto const& error = answer.error();
  switch (error.code) {
    case Errc::Cancelled:
    case Errc::UpstreamFailed: return error;
    case Errc::DeadlineExceeded:
      if (Clock::now() >= deadline_.at) return error;
      return fail(Errc::UpstreamFailed, read.request.method + ": request timed out");
    // Others end the evaluation where they are the program's own (host.hpp): these are about this
    // one request.
    case Errc::InvalidInput:
    case Errc::NotFound:
    case Errc::PolicyDenied:
    case Errc::EgressBlocked:
    case Errc::CredentialUnavailable:
    case Errc::LimitExceeded:
    case Errc::ClientCapabilityMissing:
    case Errc::InputRequired:
    case Errc::Internal: break;
  }
  return fail(Errc::InvalidInput, error.message, error.detail);
}

}  // namespace sallyport::policy
