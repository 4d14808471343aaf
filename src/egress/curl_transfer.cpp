#include "src/egress/curl_transfer.hpp"

#include "src/base/assert.hpp"
#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::egress {
namespace {

constexpr std::size_t kMaxHeaderBytes = 256 * std::size_t{1024};

template <class Value>
void set(CURL* handle, CURLoption option, Value value) {
  auto const code = curl_easy_setopt(handle, option, value);
  SP_ASSERT(code == CURLE_OK, "this libcurl knows the options we use");
}

std::string_view without_line_end(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// What http::Response keeps elsewhere, or what only concerned the connection.
bool is_left_out(std::string_view name) {
  for (auto const* other :
       {"Content-Length", "Date", "Connection", "Transfer-Encoding", "Keep-Alive"}) {
    if (http::equals_ignoring_case(name, other)) return true;
  }
  return false;
}

}  // namespace

Result<std::unique_ptr<CurlTransfer>> CurlTransfer::create(http::ClientRequest request,
                                                           ClientOptions const& options) {
  if (!http::is_token(request.method)) {
    return fail(Errc::InvalidInput, "The method is not a valid HTTP method.");
  }
  std::unique_ptr<CurlTransfer> transfer{new CurlTransfer{std::move(request)}};
  transfer->configure_connection(options);
  transfer->configure_request();
  SP_CHECK(transfer->add_headers());
  return transfer;
}

CurlTransfer::CurlTransfer(http::ClientRequest request)
    : request_{std::move(request)}, handle_{curl_easy_init()} {
  SP_ASSERT(handle_ != nullptr, "libcurl gives a handle");
}

// Where a connection may go and how. The address guard belongs here: CURLOPT_OPENSOCKETFUNCTION
// sees each address that libcurl is about to dial, after resolution.
void CurlTransfer::configure_connection(ClientOptions const& options) {
  auto* const handle = handle_.get();
  set(handle, CURLOPT_PROTOCOLS_STR, "http,https");
  set(handle, CURLOPT_FOLLOWLOCATION, 0L);
  set(handle, CURLOPT_PROXY, "");  // SECURITY: not even the one that the environment names
  set(handle, CURLOPT_NETRC, long{CURL_NETRC_IGNORED});
  set(handle, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
  set(handle, CURLOPT_SSL_VERIFYPEER, 1L);
  set(handle, CURLOPT_SSL_VERIFYHOST, 2L);
  set(handle, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
  if (!options.ca_file.empty()) set(handle, CURLOPT_CAINFO, options.ca_file.c_str());
  set(handle, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
  set(handle, CURLOPT_NOSIGNAL, 1L);
  set(handle, CURLOPT_ERRORBUFFER, error_.data());
}

void CurlTransfer::configure_request() {
  auto* const handle = handle_.get();
  set(handle, CURLOPT_URL, request_.url.c_str());
  if (request_.method == "HEAD") {
    set(handle, CURLOPT_NOBODY, 1L);
  } else if (request_.method != "GET" || !request_.body.empty()) {
    set(handle, CURLOPT_POST, 1L);
    set(handle, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    set(handle, CURLOPT_POSTFIELDS, request_.body.data());
    set(handle, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  }
  set(handle, CURLOPT_HEADERFUNCTION, &CurlTransfer::on_header);
  set(handle, CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(handle, CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
  set(handle, CURLOPT_WRITEDATA, static_cast<void*>(this));
}

Result<void> CurlTransfer::add_headers() {
  bool has_content_type = false;
  for (auto const& [name, value] : request_.headers) {
    // SECURITY: a line break in a value would start another header, or another request.
    if (!http::is_token(name) || !http::is_field_value(value)) {
      return fail(Errc::InvalidInput, "A header of the request is not valid.");
    }
    has_content_type |= http::equals_ignoring_case(name, "Content-Type");
    // libcurl's spelling of a header without a value.
    append_header(value.empty() ? name + ";" : fmt::format("{}: {}", name, value));
  }
  // What libcurl would add by itself.
  if (!has_content_type) append_header("Content-Type:");
  append_header("Expect:");
  set(handle_.get(), CURLOPT_HTTPHEADER, header_lines_.get());
  return {};
}

void CurlTransfer::append_header(std::string const& line) {
  auto* const longer = curl_slist_append(header_lines_.get(), line.c_str());
  SP_ASSERT(longer != nullptr, "libcurl copies a line");
  // The list's head only changes with the first line.
  if (header_lines_ == nullptr) header_lines_.reset(longer);
}

Result<http::Response> CurlTransfer::finish(CURLcode code) {
  if (too_large_) {
    return fail(Errc::LimitExceeded, "The answer of the server is too large.");
  }
  if (code != CURLE_OK) {
    auto const* reason = error_.front() != '\0' ? error_.data() : curl_easy_strerror(code);
    return fail(Errc::UpstreamFailed, "The server could not be reached.", reason);
  }
  long status = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
  response_.status = static_cast<int>(status);
  return std::move(response_);
}

void CurlTransfer::take_header(std::string_view line) {
  // A status line: of the final response, or of an interim one (103) before it.
  if (line.starts_with("HTTP/")) {
    response_.headers.clear();
    response_.content_type.clear();
    return;
  }
  auto const colon = line.find(':');
  if (colon == std::string_view::npos) return;
  auto const name = http::trimmed(line.substr(0, colon));
  std::string value{http::trimmed(without_line_end(line.substr(colon + 1)))};
  if (http::equals_ignoring_case(name, "Content-Type")) {
    response_.content_type = std::move(value);
  } else if (!is_left_out(name)) {
    response_.headers.add(std::string{name}, std::move(value));
  }
}

bool CurlTransfer::take_body(std::string_view bytes) {
  if (bytes.size() > request_.max_response_bytes - response_.body.size()) return false;
  response_.body.append(bytes);
  return true;
}

std::size_t CurlTransfer::on_header(char* data, std::size_t one, std::size_t size,
                                    void* self) noexcept {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  transfer.header_bytes_ += one * size;
  transfer.too_large_ |= transfer.header_bytes_ > kMaxHeaderBytes;
  if (transfer.too_large_) return 0;
  transfer.take_header({data, one * size});
  return one * size;
}

std::size_t CurlTransfer::on_body(char* data, std::size_t one, std::size_t size,
                                  void* self) noexcept {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  transfer.too_large_ |= !transfer.take_body({data, one * size});
  return transfer.too_large_ ? CURL_WRITEFUNC_ERROR : one * size;
}

}  // namespace sallyport::egress
