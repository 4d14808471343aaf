#include "src/mcp/client/probe.hpp"

#include "src/mcp/revision.hpp"
#include "src/mcp/rpc.hpp"

#include <algorithm>

namespace sallyport::mcp::client {

std::optional<std::int64_t> error_code_of(Message const& message) {
  auto const* const response = std::get_if<ResponseMessage>(&message);
  if (response == nullptr || !response->error) return std::nullopt;
  auto const* const code = json::find(*response->error, "code");
  if (code == nullptr || !code->is_int64()) return std::nullopt;
  return code->get_int64();
}

namespace {

// Some servers answer every request with an empty result.
bool is_discovery(json::Object const& result) {
  auto const* const versions = json::find_array(result, "supportedVersions");
  return versions != nullptr && std::ranges::any_of(*versions, [](json::Value const& version) {
           return version.is_string() && version.get_string() == to_string(kModern);
         });
}

}  // namespace

ProbeVerdict judge_probe(ProbeAnswer const& answer) {
  auto const* const response =
      answer.message ? std::get_if<ResponseMessage>(&*answer.message) : nullptr;
  if (response != nullptr && !response->error) {
    return is_discovery(response->result) ? ProbeVerdict::Modern : ProbeVerdict::Legacy;
  }
  auto const code = answer.message ? error_code_of(*answer.message) : std::nullopt;
  if (code == code::kUnsupportedVersion) return ProbeVerdict::ModernAgain;
  if (code == code::kHeaderMismatch || code == code::kMissingCapability) {
    return ProbeVerdict::Refused;
  }
  if (!answer.over_http) return ProbeVerdict::Legacy;
  if (answer.status == 401 || answer.status == 403 || answer.status == 429) {
    return ProbeVerdict::Unclear;
  }
  if (answer.status >= 500) return ProbeVerdict::Unclear;
  // Only 2026-07-28 ties this error to that status.
  if (answer.status == 404 && code == code::kMethodNotFound) return ProbeVerdict::Undiscovered;
  return ProbeVerdict::Legacy;
}

}  // namespace sallyport::mcp::client
