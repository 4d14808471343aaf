// What libcurl calls while a transfer runs: before a socket is opened, before a request is sent,
// and with each piece of the answer.
#include "src/egress/answer_rules.hpp"
#include "src/egress/transfer.hpp"
#include "src/http/chars.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <cstring>
#include <netinet/in.h>
#include <sys/socket.h>

namespace sallyport::egress {
namespace {

constexpr std::size_t kMostEncodings = 2;        // one inside the other
constexpr std::size_t kRatioCounts = 1UL << 20;  // a ratio says nothing about small answers
constexpr std::size_t kMostReserved = 1UL << 20;

std::string_view without_line_end(std::string_view line) {
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

struct Endpoint {
  url::IpAddress address;
  std::uint16_t port;
};

std::optional<Endpoint> endpoint_of(curl_sockaddr const& from) {
  if (from.family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &from.addr, sizeof v4);
    return Endpoint{url::IpAddress::v4(ntohl(v4.sin_addr.s_addr)), ntohs(v4.sin_port)};
  }
  if (from.family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &from.addr, std::min<std::size_t>(sizeof v6, from.addrlen));
    url::IpAddress::V6Bytes bytes{};
    std::memcpy(bytes.data(), &v6.sin6_addr, bytes.size());
    return Endpoint{url::IpAddress::v6(bytes), ntohs(v6.sin6_port)};
  }
  return std::nullopt;
}

}  // namespace

// SECURITY: the last word before a connection is made.
curl_socket_t Transfer::on_open(void* self, curlsocktype /*purpose*/,
                                curl_sockaddr* address) noexcept {
  auto& transfer = *static_cast<Transfer*>(self);
  auto const endpoint = endpoint_of(*address);
  if (!endpoint || !transfer.may_connect_to(endpoint->address, endpoint->port)) {
    transfer.refuse(Errc::EgressBlocked,
                    "The connection would go to an address that was not judged.");
    return CURL_SOCKET_BAD;
  }
  transfer.opened_socket_ = true;
  auto const socket = ::socket(address->family, address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                               address->protocol);
  if (socket >= 0) transfer.loop_.watches.forget(socket);
  return socket;
}

// SECURITY: the same before each request, since the connection may be an older one.
int Transfer::on_connected(void* self, char* address, char* /*local*/, int port,
                           int /*local_port*/) noexcept {
  auto& transfer = *static_cast<Transfer*>(self);
  auto const parsed = url::IpAddress::parse(address);
  if (!parsed || !transfer.may_connect_to(*parsed, static_cast<std::uint16_t>(port))) {
    transfer.refuse(Errc::EgressBlocked, "The connection leads to an address that was not judged.");
    return CURL_PREREQFUNC_ABORT;
  }
  // Sent once already: the connection was an older one that broke without an answer, and libcurl
  // wants to try another. The origin may have acted on it all the same (RFC 9110, section 9.2.2).
  if (transfer.phase_ != Phase::Connecting && !transfer.request_->is_repeatable()) {
    transfer.refuse(Errc::UpstreamFailed,
                    fmt::format("{} closed the connection before it answered. The request was not "
                                "sent again, since it may have been carried out.",
                                transfer.request_->host()));
    return CURL_PREREQFUNC_ABORT;
  }
  transfer.connected_address_ = address;
  transfer.enter(Phase::Waiting);
  return CURL_PREREQFUNC_OK;
}

bool Transfer::may_connect_to(url::IpAddress const& address, std::uint16_t port) const noexcept {
  if (!options_.proxy) return request_->dispatch().addresses.contains(address, port);
  auto const& proxy = *options_.proxy;
  return port == proxy.url.effective_port() &&
         std::ranges::find(proxy.addresses, address) != proxy.addresses.end();
}

std::size_t Transfer::on_header(char* data, std::size_t one, std::size_t size,
                                void* self) noexcept {
  return static_cast<Transfer*>(self)->take_header({data, one * size});
}

std::size_t Transfer::on_body(char* data, std::size_t one, std::size_t size, void* self) noexcept {
  return static_cast<Transfer*>(self)->take_body({data, one * size});
}

std::size_t Transfer::on_read(char* into, std::size_t one, std::size_t size, void* self) noexcept {
  return static_cast<Transfer*>(self)->give_body({into, one * size});
}

std::size_t Transfer::give_body(std::span<char> into) {
  auto& upload = *request_->dispatch().upload;
  auto const taken = upload.take(into);
  since_ = loop_.now;
  switch (taken.flow) {
    case BodyPipe::Flow::Bytes: return taken.bytes;
    case BodyPipe::Flow::End: return 0;
    case BodyPipe::Flow::Later: starved_ = true; return CURL_READFUNC_PAUSE;
    case BodyPipe::Flow::Failed: break;
  }
  if (!failure_) failure_ = upload.failure();
  return CURL_READFUNC_ABORT;
}

std::size_t Transfer::refuse(Error error) {
  failure_ = std::move(error);
  return CURL_WRITEFUNC_ERROR;
}

std::size_t Transfer::refuse(Errc code, std::string message) {
  return refuse(fail(code, std::move(message)));
}

std::size_t Transfer::take_header(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > limits_.header_bytes) {
    return refuse(head_too_large(limits_.header_bytes));
  }
  if (has_head_) return line.size();  // trailers
  auto const text = without_line_end(line);
  if (text.starts_with("HTTP/")) {
    take_status_line(text);
  } else if (!text.empty()) {
    if (head_.headers.size() == kMostFields) {
      return refuse(too_many_fields());
    }
    take_field(text);
  } else if (head_.status >= 200 && !complete_head()) {
    return CURL_WRITEFUNC_ERROR;
  }
  return line.size();
}

// Of the final answer, or of an interim one (103) before it.
void Transfer::take_status_line(std::string_view line) {
  head_ = {};
  line.remove_prefix(std::string_view{"HTTP/"}.size());
  auto const blank = std::min(line.find(' '), line.size());
  head_.version = line.substr(0, blank);
  line = http::trimmed(line.substr(blank));
  std::from_chars(line.data(), line.data() + line.size(), head_.status);
  auto const reason = line.find(' ');
  if (reason != std::string_view::npos) head_.reason = http::trimmed(line.substr(reason));
}

void Transfer::take_field(std::string_view line) {
  auto const colon = line.find(':');
  if (colon == std::string_view::npos) return;
  auto const name = http::trimmed(line.substr(0, colon));
  if (!is_hop_by_hop(name)) head_.headers.add_copy(name, http::trimmed(line.substr(colon + 1)));
}

bool Transfer::complete_head() {
  has_head_ = true;
  enter(Phase::Body);
  bool const bodiless =
      request_->dispatch().method == "HEAD" || head_.status == 204 || head_.status == 304;
  if (request_->dispatch().refuse_event_streams && !bodiless && is_event_stream(head_)) {
    refuse(refused_event_stream());
    return false;
  }
  quiet_ = !request_->dispatch().whole && is_event_stream(head_);
  auto const encodings = bodiless ? 0 : count_encodings(head_.headers);
  auto const length = bodiless ? std::nullopt : content_length(head_.headers);
  decompressed_ = request_->decompresses() && encodings > 0;
  if (length && *length > limits_.body_bytes && !decompressed_) {
    refuse(answer_too_large(limits_.body_bytes));
    return false;
  }
  if (decompressed_ && encodings > kMostEncodings) {
    refuse(Errc::LimitExceeded,
           fmt::format("The answer is compressed more than {} times over.", kMostEncodings));
    return false;
  }
  if (decompressed_) {
    head_.headers.erase("Content-Encoding");
    head_.headers.erase("Content-Length");
  }
  if (!request_->dispatch().whole) {
    delivery_->put_head(std::move(head_), stats());
  } else if (length) {
    body_.reserve(std::min(*length, kMostReserved));
  }
  return true;
}

std::size_t Transfer::take_body(std::string_view bytes) {
  if (failure_ || is_too_much(bytes.size())) return CURL_WRITEFUNC_ERROR;
  since_ = loop_.now;
  if (request_->dispatch().whole) {
    body_.append(bytes);
  } else if (decompressed_) {
    // Paused here, libcurl would keep the rest of what one piece expands to: without any limit of
    // ours. So the piece is taken, and the origin held back once libcurl has returned.
    if (!delivery_->force_body(bytes, received())) loop_.to_hold.push_back(this);
  } else if (!delivery_->put_body(bytes, received())) {
    held_ = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  delivered_ += bytes.size();
  return bytes.size();
}

bool Transfer::is_too_much(std::size_t more) {
  auto const total = delivered_ + more;
  if (total > limits_.body_bytes) {
    refuse(answer_too_large(limits_.body_bytes));
    return true;
  }
  if (!decompressed_ || total <= kRatioCounts) return false;
  curl_off_t received = 0;
  curl_easy_getinfo(handle_.get(), CURLINFO_SIZE_DOWNLOAD_T, &received);
  if (total / limits_.ratio <= static_cast<std::size_t>(received)) return false;
  refuse(Errc::LimitExceeded,
         fmt::format("The answer grows more than {}-fold when it is decompressed.", limits_.ratio));
  return true;
}

}  // namespace sallyport::egress
