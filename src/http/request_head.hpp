// Reads the head of an HTTP/1.x request (RFC 9112), and nothing that could be read in two ways.
//
// Request smuggling lives on two parties framing the same bytes differently. So this parser takes
// the narrow reading everywhere and refuses the rest: no bare line feeds, no folded lines, no space
// before a colon, one Content-Length of digits only, never beside Transfer-Encoding.
//
// No I/O: it is shown the bytes received so far, again each time there are more.
#pragma once

#include "src/http/message.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::http {

// An answer that the server gives without asking the handler.
struct Refusal {
  int status{400};
  std::string_view message;  // a literal; goes to the peer
};

// How the rest of the connection is to be read and answered.
struct Framing {
  std::size_t head_bytes{0};
  std::uint64_t content_length{0};  // 0 when `chunked`
  bool chunked{false};
  bool keep_alive{true};
  bool http_1_0{false};
  bool expects_continue{false};
};

class RequestHeadParser {
 public:
  enum class State { Incomplete, Complete, Refused };

  explicit RequestHeadParser(std::size_t max_bytes) noexcept : max_bytes_{max_bytes} {}

  // `received` starts with the first byte of the request and only ever grows until reset(). When
  // Complete, method, path, query and headers of `into` are set.
  State parse(std::string_view received, ServerRequest& into);

  // Ready for the next request.
  void reset() noexcept;

  Framing const& framing() const noexcept { return framing_; }
  Refusal const& refusal() const noexcept { return refusal_; }

 private:
  State refuse(int status, std::string_view message) noexcept;
  bool fail_with(int status, std::string_view message) noexcept;
  State find_end(std::string_view received) noexcept;
  bool parse_request_line(std::string_view line, ServerRequest& into);
  bool parse_version(std::string_view version) noexcept;
  bool parse_target(std::string_view target, ServerRequest& into);
  bool parse_fields(std::string_view lines, ServerRequest& into);
  bool note_field(std::string_view name, std::string_view value) noexcept;
  bool note_content_length(std::string_view value) noexcept;
  bool note_transfer_encoding(std::string_view value) noexcept;
  void note_connection(std::string_view value) noexcept;
  bool check_whole(ServerRequest const& request) noexcept;

  std::size_t max_bytes_;
  std::size_t start_{0};    // of the request line: after one empty line that we forgive
  std::size_t line_{0};     // start of the line that is not complete yet
  std::size_t scanned_{0};  // no line end before this but those already counted
  Framing framing_;
  Refusal refusal_;
  std::string_view authority_;  // of an absolute target; views `received`
  std::string_view host_;
  std::size_t hosts_{0};
  bool has_length_{false};
  bool asks_close_{false};
  bool asks_keep_alive_{false};
};

}  // namespace sallyport::http
