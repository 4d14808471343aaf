#include "src/http/sse_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace sallyport::http {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
// More digits than that are no time to wait for.
constexpr std::size_t kLongestRetry = 12;

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<void> SseParser::check_size(std::size_t more) const {
  if (line_.size() + data_.size() + event_.size() + more <= event_bytes_) return {};
  return fail(Errc::LimitExceeded,
              fmt::format("An event of the stream is larger than {} bytes.", event_bytes_));
}

// A mark may come in pieces; what only began like one is the beginning of the first line.
void SseParser::take_bom(std::string_view& bytes) {
  while (bom_seen_ < kByteOrderMark.size() && !bytes.empty()) {
    if (bytes.front() != kByteOrderMark[bom_seen_]) {
      line_.assign(kByteOrderMark.substr(0, bom_seen_));
      bom_seen_ = kByteOrderMark.size();
      return;
    }
    ++bom_seen_;
    bytes.remove_prefix(1);
  }
}

Result<void> SseParser::feed(std::string_view bytes, std::vector<SseItem>& out) {
  if (failed_) return check_size(event_bytes_ + 1);
  take_bom(bytes);
  while (!bytes.empty()) {
    if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      continue;
    }
    auto const end = bytes.find_first_of("\r\n");
    auto const part = bytes.substr(0, end);
    if (auto fits = check_size(part.size()); !fits) {
      failed_ = true;
      return fits;
    }
    if (end == std::string_view::npos) {
      line_ += part;
      return {};
    }
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (line_.empty()) {
      take_line(part, out);
    } else {
      line_ += part;
      take_line(std::exchange(line_, {}), out);
    }
  }
  return {};
}

void SseParser::take_line(std::string_view line, std::vector<SseItem>& out) {
  if (line.empty()) return dispatch(out);
  auto const colon = line.find(':');
  if (colon == 0) return;  // a comment
  auto value = colon == std::string_view::npos ? std::string_view{} : line.substr(colon + 1);
  if (value.starts_with(' ')) value.remove_prefix(1);
  take_field(line.substr(0, colon), value, out);
}

void SseParser::take_field(std::string_view name, std::string_view value,
                           std::vector<SseItem>& out) {
  if (name == "data") {
    data_ += value;
    data_ += '\n';
  } else if (name == "event") {
    event_ = value;
  } else if (name == "id") {
    if (value.find('\0') == std::string_view::npos) {
      last_event_id_ = std::make_shared<std::string const>(value);
    }
  } else if (name == "retry" && is_number(value) && value.size() <= kLongestRetry) {
    std::int64_t time = 0;
    std::from_chars(value.data(), value.data() + value.size(), time);
    out.push_back({.kind = SseItem::Kind::Retry, .retry = std::chrono::milliseconds{time}});
  }
}

void SseParser::dispatch(std::vector<SseItem>& out) {
  auto event = std::exchange(event_, {});
  settled_id_ = last_event_id_;
  if (data_.empty()) return;
  auto data = std::exchange(data_, {});
  data.pop_back();
  if (event.empty()) event = "message";
  out.push_back(
      {.event = std::move(event), .data = std::move(data), .last_event_id = last_event_id_});
}

}  // namespace sallyport::http
