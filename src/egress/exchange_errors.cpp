#include "src/egress/exchange_errors.hpp"

#include <fmt/format.h>

#include <cerrno>

namespace sallyport::egress {
namespace {

constexpr std::string_view kProblem = "SSL certificate problem: ";

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// In libcurl's own words about a certificate: OpenSSL's.
std::string_view problem_in(std::string_view text) {
  auto const at = text.find(kProblem);
  if (at != std::string_view::npos) return text.substr(at + kProblem.size());
  return has(text, "subject name") || has(text, "subjectAltName") || has(text, "match")
             ? "hostname mismatch"
             : "it cannot be verified";
}

std::string cut_short(std::string_view text, std::string_view host) {
  if (has(text, "bytes remaining")) {
    return fmt::format("The answer of {} ended before its announced length.", host);
  }
  return fmt::format("The answer of {} ended before it was complete.", host);
}

std::string broken(CurlFailure const& failure, std::string_view host) {
  if (has(failure.text, "chunk") || has(failure.text, "hexadecimal")) {
    return fmt::format("The answer of {} is not valid HTTP.", host);
  }
  if (failure.connecting) {
    return fmt::format("Connecting to {} failed: {}.", host,
                       why_not_connected(failure.system_error));
  }
  return fmt::format("The connection to {} broke before the answer was complete.", host);
}

bool is_refusal_of_proxy(CurlFailure const& failure) {
  return failure.through_proxy && failure.connecting && has(failure.text, "CONNECT");
}

std::string sentence(CurlFailure const& failure, std::string_view host) {
  if (is_refusal_of_proxy(failure)) {
    return fmt::format("The proxy refused the connection to {}.", host);
  }
  switch (static_cast<int>(failure.code)) {
    case CURLE_COULDNT_RESOLVE_PROXY: return "The proxy could not be reached.";
    case CURLE_COULDNT_CONNECT:
      return fmt::format("Connecting to {} failed: {}.", failure.through_proxy ? "the proxy" : host,
                         why_not_connected(failure.system_error));
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_ISSUER_ERROR: return untrusted(problem_in(failure.text), host);
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_SSL_CIPHER: return fmt::format("The TLS handshake with {} failed.", host);
    case CURLE_PARTIAL_FILE: return cut_short(failure.text, host);
    case CURLE_GOT_NOTHING: return fmt::format("{} closed the connection without an answer.", host);
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR: return broken(failure, host);
    case CURLE_SEND_FAIL_REWIND:
      return fmt::format(
          "{} closed the connection before it answered. The request was not sent again, since its "
          "body was not kept.",
          host);
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return fmt::format("The answer of {} is not valid HTTP.", host);
    case CURLE_BAD_CONTENT_ENCODING:
      return fmt::format("The answer of {} is compressed in a way that cannot be undone.", host);
    default: return fmt::format("The exchange with {} failed.", host);
  }
}

}  // namespace

std::string why_not_connected(long system_error) {
  switch (system_error) {
    case ECONNREFUSED: return "connection refused";
    case ECONNRESET: return "connection reset";
    case ENETUNREACH:
    case EHOSTUNREACH: return "no route to the host";
    case ETIMEDOUT: return "no answer";
    case EMFILE:
    case ENFILE: return "too many open connections";
    default: return "the connection could not be made";
  }
}

std::string untrusted(std::string_view problem, std::string_view host) {
  if (has(problem, "has expired")) return fmt::format("The certificate of {} has expired.", host);
  if (has(problem, "not yet valid")) {
    return fmt::format("The certificate of {} is not yet valid.", host);
  }
  if (has(problem, "match")) {
    return fmt::format("The certificate of {} is not valid for the host name.", host);
  }
  return fmt::format("The certificate of {} is not trusted: {}.", host, problem);
}

Error explain(CurlFailure const& failure, std::string_view host) {
  auto const words =
      failure.text.empty() ? std::string_view{curl_easy_strerror(failure.code)} : failure.text;
  return fail(Errc::UpstreamFailed, sentence(failure, host),
              fmt::format("curl {}: {}", static_cast<int>(failure.code), words));
}

std::string spell_bytes(std::size_t count) {
  constexpr std::size_t kKibi = 1024;
  constexpr std::size_t kMebi = kKibi * kKibi;
  if (count >= kMebi && count % kMebi == 0) return fmt::format("{} MiB", count / kMebi);
  if (count >= kKibi && count % kKibi == 0) return fmt::format("{} KiB", count / kKibi);
  return fmt::format("{} bytes", count);
}

std::string spell_time(std::chrono::milliseconds time) {
  if (time.count() % 1000 == 0) return fmt::format("{} s", time.count() / 1000);
  return fmt::format("{} ms", time.count());
}

}  // namespace sallyport::egress
