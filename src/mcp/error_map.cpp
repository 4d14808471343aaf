#include "src/mcp/error_map.hpp"

namespace sallyport::mcp {

RpcError to_rpc_error(Error const& error) {
  switch (error.code) {
    case Errc::InvalidInput:
    case Errc::NotFound: return {code::kInvalidParams, error.message};
    case Errc::PolicyDenied:
    case Errc::EgressBlocked:
    case Errc::CredentialUnavailable:
    case Errc::UpstreamFailed:
    case Errc::LimitExceeded:
    case Errc::DeadlineExceeded:
    case Errc::Cancelled:
    case Errc::ClientCapabilityMissing:
    case Errc::InputRequired:
    case Errc::Internal: return {code::kInternalError, error.message};
  }
  return {code::kInternalError, error.message};
}

bool is_tool_outcome(Errc code) noexcept {
  switch (code) {
    case Errc::InvalidInput:
    case Errc::NotFound:
    case Errc::PolicyDenied:
    case Errc::EgressBlocked:
    case Errc::CredentialUnavailable:
    case Errc::UpstreamFailed:
    case Errc::LimitExceeded:
    case Errc::DeadlineExceeded:
    case Errc::ClientCapabilityMissing: return true;
    case Errc::Cancelled:
    case Errc::InputRequired:
    case Errc::Internal: return false;
  }
  return false;
}

}  // namespace sallyport::mcp
