// A request checked and spelled out for libcurl: made on the caller's thread, so that the curl
// thread has less to do. Inside egress.
#pragma once

#include "src/egress/exchange.hpp"

#include <curl/curl.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::egress {

// Whether it can be sent as it is, to the given target. Fails with InvalidInput or EgressBlocked.
Result<void> check_sendable(Dispatch const& dispatch, std::string_view target);
// A POST without a body still says that it has none.
bool sends_length(Dispatch const& dispatch) noexcept;
// Whether sending it twice does no more than sending it once (RFC 9110, section 9.2.2).
bool is_idempotent(std::string_view method) noexcept;

class PreparedRequest {
 public:
  // Fails with InvalidInput when method, target or headers cannot be sent as they are.
  static Result<std::unique_ptr<PreparedRequest>> create(Dispatch dispatch);
  PreparedRequest(PreparedRequest const&) = delete;
  PreparedRequest& operator=(PreparedRequest const&) = delete;

  Dispatch const& dispatch() const noexcept { return dispatch_; }
  std::string const& host() const noexcept { return *dispatch_.url.host(); }
  std::string const& origin() const noexcept { return origin_; }  // "https://example.com:8443/"
  std::string const& target() const noexcept { return target_; }
  bool decompresses() const noexcept { return decompresses_; }
  bool has_body() const noexcept { return sends_length(dispatch_); }
  // Idempotent, and nothing of it is gone.
  bool is_repeatable() const noexcept;

  // These two belong to libcurl while the transfer runs; they live as long as this object.
  curl_slist* header_lines() noexcept { return header_lines_.data(); }
  // Sends the connection to the given one of the judged addresses, whatever the name says.
  curl_slist* route_to(std::size_t address);

 private:
  explicit PreparedRequest(Dispatch dispatch);
  void spell_headers();

  Dispatch dispatch_;
  std::string origin_;
  std::string target_;
  std::string header_text_;  // lines that end in NUL
  std::vector<curl_slist> header_lines_;
  std::string route_text_;
  curl_slist route_{};
  bool decompresses_{true};
};

}  // namespace sallyport::egress
