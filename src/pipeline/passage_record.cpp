#include "src/pipeline/passage_record.hpp"

#include "src/policy/mcp_operation.hpp"

#include <utility>

namespace sallyport::pipeline {
namespace {

// SECURITY: tells sessions apart; with all of it, a reader of the log could take one over.
constexpr std::size_t kShownOfSession = 8;

std::string shown_url(UnsentCall const& call, audit::MaskRule const& mask) {
  // It is the server's to read, and nobody has.
  if (policy::is_mcp_method(call.method)) return audit::masked_uri(call.url, mask);
  auto const url = url::Url::parse(call.url);
  return url ? audit::masked_url(*url, mask) : audit::masked_text(call.url);
}

}  // namespace

bool is_message(Passage const& passage) noexcept {
  return passage.operation == "mcp";
}

audit::Record passage_record(Passage const& passage) {
  auto const& about = *passage.request;
  audit::Record record;
  record.id = passage.call_id;
  record.time = std::chrono::system_clock::now();
  record.request_id = about.request_id;
  record.principal = about.principal.id;
  record.issuer = about.principal.issuer;
  record.client = about.client;
  record.session = about.session.substr(0, kShownOfSession);
  record.tool = passage.tool;
  record.server = passage.server;
  record.purpose = passage.purpose;
  record.execution = about.execution;
  return record;
}

audit::Record unsent_record(Passage const& passage, UnsentCall const& call,
                            audit::MaskRule const& mask) {
  auto record = passage_record(passage);
  record.hops.push_back(
      {.url = shown_url(call, mask), .method = call.method, .policy = call.revision});
  record.status = call.status;
  if (!call.refusal) {
    record.verdict = audit::Verdict::Allowed;
    record.reasons.push_back(call.reason);
    return record;
  }
  record.verdict = audit::Verdict::Denied;
  record.reasons.push_back(call.refusal->message);
  record.error_code = to_string(call.refusal->code);
  record.error = call.refusal->message;
  return record;
}

}  // namespace sallyport::pipeline
