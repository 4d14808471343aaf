#include "src/app/policy_replay.hpp"

#include "src/app/policy_files.hpp"
#include "src/policy/redaction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace sallyport::app {
namespace {

using namespace std::chrono_literals;

// Nobody waits for one of them, but there may be a million.
constexpr rego::Limits kReplayLimits{.time = 1s};

// What became of a hop at the policy.
enum class Then { Allowed, Denied, RefusedOtherwise, NotAsked };

// Names of headers are noted right before the policy is asked.
bool was_asked(audit::Hop const& hop) {
  return !hop.header_names.empty() || !hop.policy.empty() || !hop.connected.empty();
}

Then outcome_of(audit::Record const& record, std::size_t index) {
  auto const& hop = record.hops[index];
  // Arguments are not on record, so that no other policy can judge it.
  if (policy::is_mcp_method(hop.method)) return Then::NotAsked;
  bool const last = index + 1 == record.hops.size();
  if (!was_asked(hop))
    return last && record.verdict == audit::Verdict::Denied ? Then::RefusedOtherwise
                                                            : Then::NotAsked;
  if (!last || record.verdict == audit::Verdict::Allowed) return Then::Allowed;
  // It went out, and what was refused came after it.
  if (!hop.connected.empty()) return Then::Allowed;
  return record.error.starts_with(policy::kDenial) ? Then::Denied : Then::RefusedOtherwise;
}

// After a 401 a request may be made once more, with another token; that is no redirect.
std::size_t redirects_before(audit::Record const& record, std::size_t index) {
  auto const is_redirect = [](audit::Hop const& hop) {
    return hop.status >= 300 && hop.status < 400;
  };
  auto const begin = record.hops.begin();
  return static_cast<std::size_t>(
      std::count_if(begin, begin + static_cast<std::ptrdiff_t>(index), is_redirect));
}

// Masks, or the mark of a text that was too long.
bool is_masked(std::string_view url) {
  return url.find("***") != std::string_view::npos || url.ends_with("…");
}

bool lacks(audit::Record const& record, audit::Hop const& hop, Unrecorded what) {
  switch (what) {
    case Unrecorded::HeaderValues: return !hop.header_names.empty();
    case Unrecorded::MaskedUrl: return is_masked(hop.url);
    case Unrecorded::Scopes: return !record.principal.empty();
    case Unrecorded::InjectionFailed: return true;
    case Unrecorded::Session: return !record.session.empty();
  }
  return true;
}

// Judged by a section of its own.
bool is_socket(url::Url const& url) {
  return url.scheme() == "ws" || url.scheme() == "wss";
}

}  // namespace

Result<PolicyReplay> PolicyReplay::create(std::filesystem::path const& path,
                                          std::string_view rule) {
  SP_TRY(auto const files, read_policy_files(path));
  SP_TRY(auto policy, policy::compile_rego(files, rule, policy::HttpSend::Allowed));
  PolicyReplay replay{name_of_policy(path), std::move(policy), PolicyReads::of(files)};
  replay.judges_sockets_ = rule.starts_with("data.mcp.websocket");
  return replay;
}

void PolicyReplay::judge(audit::Entry const& entry, OnChange const& on_change) {
  auto const record = audit::parse_record(entry.record.body);
  if (record) return judge(*record, on_change);
  ++summary_.records;
  ++summary_.unreadable;
}

void PolicyReplay::judge(audit::Record const& record, OnChange const& on_change) {
  // The call was judged once; so it is by the record of its beginning.
  if (record.stream == audit::StreamState::Closed) return;
  ++summary_.records;
  // What the program asks for itself has no tool, and no policy judges it.
  if (record.tool.empty()) {
    ++summary_.own;
    return;
  }
  auto const changes_before = summary_.changes();
  for (std::size_t i = 0; i < record.hops.size(); ++i) {
    if (judge_hop(record, i, on_change)) continue;
    summary_.unreached += record.hops.size() - i - 1;
    break;
  }
  if (summary_.changes() > changes_before) ++summary_.changed_records;
}

bool PolicyReplay::judge_hop(audit::Record const& record, std::size_t index,
                             OnChange const& on_change) {
  auto const& hop = record.hops[index];
  auto const then = outcome_of(record, index);
  auto const url = url::Url::parse(hop.url);
  bool const other_section = url && is_socket(*url) != judges_sockets_;
  if (then == Then::NotAsked || then == Then::RefusedOtherwise || !url || other_section) {
    ++(then == Then::RefusedOtherwise ? summary_.refused_otherwise : summary_.unasked);
    return true;
  }
  auto judgement = judgement_of(record, index, *url);
  auto uncertain = unrecorded_of(record, hop);
  ++summary_.hops;
  summary_.masked += is_masked(hop.url) ? 1 : 0;
  for (auto const what : uncertain) ++summary_.uncertain[static_cast<std::size_t>(what)];
  summary_.warnings += judgement.warning.empty() ? 0 : 1;
  if (!judgement.problem.empty()) {
    ++summary_.problems;
    judgement.reasons.insert(judgement.reasons.begin(),
                             fmt::format("the policy could not judge: {}", judgement.problem));
  }
  if (judgement.allowed == (then == Then::Allowed)) return true;
  ++(judgement.allowed ? summary_.now_allowed : summary_.now_denied);
  summary_.uncertain_changes += uncertain.empty() ? 0 : 1;
  summary_.unnamed_denials += judgement.allowed && hop.policy.empty() ? 1 : 0;
  on_change({.record = record,
             .hop = index,
             .now_allowed = judgement.allowed,
             .reasons = std::move(judgement.reasons),
             .uncertain = std::move(uncertain)});
  return judgement.allowed;
}

std::vector<Unrecorded> PolicyReplay::unrecorded_of(audit::Record const& record,
                                                    audit::Hop const& hop) const {
  std::vector<Unrecorded> all;
  for (auto const what : kUnrecorded) {
    if (reads_.may_read(what) && lacks(record, hop, what)) all.push_back(what);
  }
  return all;
}

policy::Judgement PolicyReplay::judgement_of(audit::Record const& record, std::size_t index,
                                             url::Url const& url) const {
  auto const& hop = record.hops[index];
  http::Headers headers;
  for (auto const& name : hop.header_names) headers.add(name, std::string{policy::kRedacted});
  RequestContext request;
  request.request_id = record.request_id;
  request.principal.id = record.principal;
  request.principal.issuer = record.issuer;
  request.client = record.client;
  request.session = record.session;
  policy::Query const query{.operation = judges_sockets_ ? "websocket" : "fetch",
                            .purpose = record.purpose,
                            .url = url,
                            .method = hop.method,
                            .headers = headers,
                            .request = request,
                            .tool = record.tool,
                            .server = record.server,
                            .hop = redirects_before(record, index),
                            .injected = hop.injected};
  // Policies that look at the clock judge by that of the call.
  auto const since_epoch = record.time.time_since_epoch();
  return policy::judge_with(
      *policy_, query,
      {.limits = kReplayLimits,
       .now = std::chrono::duration_cast<std::chrono::nanoseconds>(since_epoch)});
}

}  // namespace sallyport::app
