#include "src/egress/answer_parser.hpp"

#include "src/egress/answer_rules.hpp"

#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

namespace sallyport::egress {
namespace {

// "timeout=5, max=100"
int timeout_in(std::string_view keep_alive) {
  constexpr std::string_view kName = "timeout=";
  auto const at = keep_alive.find(kName);
  if (at == std::string_view::npos) return 0;
  auto const text = keep_alive.substr(at + kName.size());
  int seconds = 0;
  std::from_chars(text.data(), text.data() + text.size(), seconds);
  return seconds;
}

}  // namespace

AnswerParser::AnswerParser(std::size_t header_bytes, bool bodiless) {
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
  header_limit(static_cast<std::uint32_t>(std::min(header_bytes, kMost)));
  body_limit(boost::none);  // whoever takes it counts
  eager(true);
  skip(bodiless);
}

void AnswerParser::on_response_impl(int code, string_view reason, int version, error_code&) {
  head_.status = code;
  head_.reason.assign(reason.data(), reason.size());
  head_.version = version == 10 ? "1.0" : "1.1";
}

void AnswerParser::on_field_impl(Field field, string_view name, string_view value,
                                 error_code& error) {
  if (++fields_ > kMostFields) {
    too_many_fields_ = true;
    error = boost::beast::http::error::header_limit;
    return;
  }
  if (has_head_) return;  // trailers
  std::string_view const text{value.data(), value.size()};
  if (field == Field::keep_alive) kept_seconds_ = timeout_in(text);
  std::string_view const known{name.data(), name.size()};
  if (!is_hop_by_hop(known)) head_.headers.add_copy(known, text);
}

std::size_t AnswerParser::on_body_impl(string_view bytes, error_code&) {
  body_.append(bytes.data(), bytes.size());
  return bytes.size();
}

std::size_t AnswerParser::on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) {
  body_.append(bytes.data(), bytes.size());
  return bytes.size();
}

}  // namespace sallyport::egress
