// Result<T>: the value of an operation that is expected to fail sometimes.
//
// Failure here means something the outside world can cause: bad input, a policy that says no, a
// peer that hangs up, a deadline. Bugs are not failures: they are assertions (see assert.hpp).
//
// Every failure is built by fail(), so that the representation (Boost.System today, std::expected
// once the toolchain has it) can change in this one file.
#pragma once

#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace sallyport {

// What went wrong, in the words of the gateway. Each boundary translates it once: to a JSON-RPC
// code (mcp/error_map), to an HTTP status (transport/http_status), to a JS exception
// (js/js_error). Those switches have no default, so a new enumerator fails to compile there.
enum class Errc {
  InvalidInput,
  NotFound,
  PolicyDenied,
  EgressBlocked,
  CredentialUnavailable,
  UpstreamFailed,
  LimitExceeded,
  DeadlineExceeded,
  Cancelled,
  // The MCP client cannot do what a handler needs of it.
  ClientCapabilityMissing,
  // A handler waits for the client's answers; it is run again when they have come (mcp/).
  InputRequired,
  Internal,
};

std::string_view to_string(Errc code) noexcept;

struct Error {
  Errc code{Errc::Internal};

  // Safe to show to the peer: no secret, no internal address, no file path.
  std::string message;

  // For the log only. May name hosts and rules; never a credential.
  std::string detail;
};

// Called by value() of a failed Result, which is a mistake of the caller: ends the process.
[[noreturn]] void throw_exception_from_error(Error const& error, boost::source_location const& at);

template <class T>
class [[nodiscard]] Result : public boost::system::result<T, Error> {
 public:
  using boost::system::result<T, Error>::result;
};

inline Error fail(Errc code, std::string message, std::string detail = {}) {
  return Error{code, std::move(message), std::move(detail)};
}

}  // namespace sallyport

// SP_TRY(auto url, parse_url(text)): binds the value, or returns the failure to the caller.
// SP_CO_TRY is the same inside a coroutine. SP_CHECK / SP_CO_CHECK are for Result<void>.
#define SP_TRY_NAME_2(line) sallyport_result_##line
#define SP_TRY_NAME(line) SP_TRY_NAME_2(line)
#define SP_TRY_AS(give_back, name, declaration, ...) \
  auto name = (__VA_ARGS__);                         \
  if (!name) give_back std::move(name).error();      \
  declaration = std::move(*name)
#define SP_TRY(declaration, ...) SP_TRY_AS(return, SP_TRY_NAME(__LINE__), declaration, __VA_ARGS__)
#define SP_CO_TRY(declaration, ...) \
  SP_TRY_AS(co_return, SP_TRY_NAME(__LINE__), declaration, __VA_ARGS__)
#define SP_CHECK_AS(give_back, ...)                                                                \
  do {                                                                                             \
    if (auto sallyport_check = (__VA_ARGS__); !sallyport_check) give_back sallyport_check.error(); \
  } while (false)
#define SP_CHECK(...) SP_CHECK_AS(return, __VA_ARGS__)
#define SP_CO_CHECK(...) SP_CHECK_AS(co_return, __VA_ARGS__)
