// An answer in HTTP/1.1 as it comes: Boost.Beast finds where things end, this keeps what they are.
// Inside egress.
#pragma once

#include "src/egress/exchange.hpp"

#include <boost/beast/http/basic_parser.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace sallyport::egress {

// Of one answer; an interim one (103) has its own. put() and put_eof() are those of Beast.
class AnswerParser final : public boost::beast::http::basic_parser<false> {
 public:
  // `bodiless`: it answers a HEAD.
  AnswerParser(std::size_t header_bytes, bool bodiless);

  ResponseHead& head() noexcept { return head_; }
  int status() const noexcept { return head_.status; }
  bool is_interim() const noexcept { return head_.status < 200; }
  bool has_too_many_fields() const noexcept { return too_many_fields_; }
  // For how long the server keeps a connection that nobody uses; 0: it does not say.
  int kept_seconds() const noexcept { return kept_seconds_; }

  // What came of the body and was not taken yet.
  std::string& body() noexcept { return body_; }

 private:
  using error_code = boost::beast::error_code;
  using string_view = boost::beast::string_view;
  using Field = boost::beast::http::field;
  using Length = boost::optional<std::uint64_t>;

  void on_request_impl(boost::beast::http::verb, string_view, string_view, int,
                       error_code&) override {}
  void on_response_impl(int code, string_view reason, int version, error_code& error) override;
  void on_field_impl(Field field, string_view name, string_view value, error_code& error) override;
  void on_header_impl(error_code&) override { has_head_ = true; }
  void on_body_init_impl(Length const&, error_code&) override {}
  std::size_t on_body_impl(string_view bytes, error_code& error) override;
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t remaining, string_view bytes,
                                 error_code& error) override;
  void on_finish_impl(error_code&) override {}

  ResponseHead head_;
  std::string body_;
  std::size_t fields_{0};
  int kept_seconds_{0};
  bool has_head_{false};
  bool too_many_fields_{false};
};

}  // namespace sallyport::egress
