#include "src/http/request_head.hpp"

#include "src/http/chars.hpp"

#include <algorithm>

namespace sallyport::http {
namespace {

constexpr std::size_t kMaxFields = 128;
constexpr std::size_t kMaxMethod = 32;
constexpr std::size_t kMaxLengthDigits = 18;  // fits into 64 bits without a check for overflow

constexpr bool is_target_char(char c) noexcept {
  return c > 0x20 && c < 0x7F && c != '#';
}

constexpr bool is_host_char(char c) noexcept {
  return is_token_char(c) || std::string_view{":[](),;="}.find(c) != std::string_view::npos;
}

}  // namespace

void RequestHeadParser::reset() noexcept {
  *this = RequestHeadParser{max_bytes_};
}

RequestHeadParser::State RequestHeadParser::refuse(int status, std::string_view message) noexcept {
  refusal_ = {status, message};
  return State::Refused;
}

bool RequestHeadParser::fail_with(int status, std::string_view message) noexcept {
  refusal_ = {status, message};
  return false;
}

RequestHeadParser::State RequestHeadParser::parse(std::string_view received, ServerRequest& into) {
  auto const found = find_end(received);
  if (found != State::Complete) return found;
  auto const head = received.substr(start_, framing_.head_bytes - 2 - start_);
  auto const line_end = head.find("\r\n");
  bool const good = parse_request_line(head.substr(0, line_end), into) &&
                    parse_fields(head.substr(line_end + 2), into) && check_whole(into);
  if (!good) return State::Refused;
  framing_.keep_alive = !asks_close_ && (!framing_.http_1_0 || asks_keep_alive_);
  return State::Complete;
}

RequestHeadParser::State RequestHeadParser::find_end(std::string_view received) noexcept {
  if (start_ == 0 && received.starts_with("\r\n")) start_ = line_ = scanned_ = 2;
  // Says at once that this is no HTTP, e.g. to a client that tries TLS here.
  if (received.size() > start_ && !is_token_char(received[start_]) &&
      !(start_ == 0 && received == "\r")) {
    return refuse(400, "This is not an HTTP request.");
  }
  auto const window = received.substr(0, std::min(received.size(), max_bytes_));
  for (auto end = window.find('\n', scanned_); end != window.npos; end = window.find('\n', line_)) {
    if (end == line_ || window[end - 1] != '\r') return refuse(400, "A line does not end in CRLF.");
    bool const empty = end == line_ + 1;
    line_ = scanned_ = end + 1;
    if (!empty) continue;
    framing_.head_bytes = end + 1;
    return State::Complete;
  }
  scanned_ = window.size();
  if (received.size() >= max_bytes_) return refuse(431, "The request head is too large.");
  return State::Incomplete;
}

bool RequestHeadParser::parse_request_line(std::string_view line, ServerRequest& into) {
  auto const first = line.find(' ');
  auto const last = line.rfind(' ');
  if (first == line.npos || first == last) return fail_with(400, "The request line is malformed.");
  auto const method = line.substr(0, first);
  auto const target = line.substr(first + 1, last - first - 1);
  if (!is_token(method) || method.size() > kMaxMethod) {
    return fail_with(400, "The request method is malformed.");
  }
  if (target.empty() || !std::ranges::all_of(target, is_target_char)) {
    return fail_with(400, "The request target is malformed.");
  }
  into.method.assign(method);
  return parse_version(line.substr(last + 1)) && parse_target(target, into);
}

bool RequestHeadParser::parse_version(std::string_view version) noexcept {
  bool const is_version = version.size() == 8 && version.starts_with("HTTP/") &&
                          is_digit(version[5]) && version[6] == '.' && is_digit(version[7]);
  if (!is_version) return fail_with(400, "The request line is malformed.");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") {
    return fail_with(505, "Only HTTP/1.0 and HTTP/1.1 are spoken here.");
  }
  framing_.http_1_0 = version == "HTTP/1.0";
  return true;
}

// RFC 9112, section 3.2: the four forms of a target.
bool RequestHeadParser::parse_target(std::string_view target, ServerRequest& into) {
  if (into.method == "CONNECT" || (target == "*" && into.method == "OPTIONS")) {
    into.path.assign(target);
    into.query.clear();
    return true;
  }
  if (target.front() != '/') {
    auto const scheme_end = target.find("://");
    auto const scheme = target.substr(0, std::min(scheme_end, target.size()));
    bool const known =
        equals_ignoring_case(scheme, "http") || equals_ignoring_case(scheme, "https");
    if (scheme_end == target.npos || !known) {
      return fail_with(400, "The request target is malformed.");
    }
    target.remove_prefix(scheme_end + 3);
    auto const authority_end = std::min(target.find_first_of("/?"), target.size());
    authority_ = target.substr(0, authority_end);
    if (authority_.empty()) return fail_with(400, "The request target is malformed.");
    target.remove_prefix(authority_end);
  }
  auto const question = target.find('?');
  auto const path = target.substr(0, question);
  into.path.assign(path.empty() ? std::string_view{"/"} : path);
  into.query.assign(question == target.npos ? std::string_view{} : target.substr(question + 1));
  return true;
}

bool RequestHeadParser::parse_fields(std::string_view lines, ServerRequest& into) {
  into.headers.clear();
  while (!lines.empty()) {
    auto const end = lines.find("\r\n");
    auto const line = lines.substr(0, end);
    lines.remove_prefix(end + 2);
    auto const colon = line.find(':');
    auto const name = line.substr(0, std::min(colon, line.size()));
    // SECURITY: a name must be a token, so a folded line and a space before the colon fail here.
    if (colon == line.npos || !is_token(name)) {
      return fail_with(400, "A header field is malformed.");
    }
    auto const value = trimmed(line.substr(colon + 1));
    if (!is_field_value(value)) return fail_with(400, "A header field is malformed.");
    if (into.headers.size() == kMaxFields) return fail_with(431, "There are too many headers.");
    if (!note_field(name, value)) return false;
    into.headers.add_copy(name, value);
  }
  return true;
}

bool RequestHeadParser::note_field(std::string_view name, std::string_view value) noexcept {
  // Most fields are told apart by their length alone.
  switch (name.size()) {
    case 4:
      if (!equals_ignoring_case(name, "Host")) return true;
      host_ = value;
      ++hosts_;
      return true;
    case 6:
      if (!equals_ignoring_case(name, "Expect") || framing_.http_1_0) return true;
      framing_.expects_continue = equals_ignoring_case(value, "100-continue");
      return framing_.expects_continue || fail_with(417, "This expectation is not supported.");
    case 10:
      if (equals_ignoring_case(name, "Connection")) note_connection(value);
      return true;
    case 14: return !equals_ignoring_case(name, "Content-Length") || note_content_length(value);
    case 17:
      return !equals_ignoring_case(name, "Transfer-Encoding") || note_transfer_encoding(value);
    default: return true;
  }
}

bool RequestHeadParser::note_content_length(std::string_view value) noexcept {
  // SECURITY: also two equal ones are refused, so no two parties can prefer different ones.
  if (has_length_) return fail_with(400, "There is more than one Content-Length.");
  has_length_ = true;
  if (value.empty() || !std::ranges::all_of(value, is_digit)) {
    return fail_with(400, "The Content-Length is malformed.");
  }
  if (value.size() > kMaxLengthDigits) return fail_with(413, "The request body is too large.");
  for (char const digit : value) {
    framing_.content_length =
        framing_.content_length * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  return true;
}

bool RequestHeadParser::note_transfer_encoding(std::string_view value) noexcept {
  if (framing_.chunked) return fail_with(400, "There is more than one Transfer-Encoding.");
  if (!equals_ignoring_case(value, "chunked")) {
    return fail_with(501, "This transfer encoding is not supported.");
  }
  framing_.chunked = true;
  return true;
}

void RequestHeadParser::note_connection(std::string_view value) noexcept {
  while (!value.empty()) {
    auto const option = value.substr(0, value.find(','));
    value.remove_prefix(std::min(option.size() + 1, value.size()));
    asks_close_ |= equals_ignoring_case(trimmed(option), "close");
    asks_keep_alive_ |= equals_ignoring_case(trimmed(option), "keep-alive");
  }
}

bool RequestHeadParser::check_whole(ServerRequest const& request) noexcept {
  if (framing_.chunked && has_length_) {
    return fail_with(400, "Content-Length and Transfer-Encoding exclude each other.");
  }
  if (framing_.chunked && framing_.http_1_0) {
    return fail_with(400, "HTTP/1.0 knows no Transfer-Encoding.");
  }
  if (hosts_ > 1 || (hosts_ == 0 && !framing_.http_1_0)) {
    return fail_with(400, "There must be exactly one Host header.");
  }
  if (!std::ranges::all_of(host_, is_host_char)) {
    return fail_with(400, "The Host header is malformed.");
  }
  // RFC 9112, section 3.2.2 lets the target win over the Host header. Departs from the spec: they
  // must agree, for whoever checks the Host header would check the wrong name.
  if (!authority_.empty() && request.method != "CONNECT" &&
      !equals_ignoring_case(authority_, host_)) {
    return fail_with(400, "The Host header and the request target differ.");
  }
  return true;
}

}  // namespace sallyport::http
