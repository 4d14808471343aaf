// One request on its way through libcurl: its handle, what it sends and what has come back so far.
//
// Made on any thread, then used by the curl thread only. Inside egress.
#pragma once

#include "src/egress/curl_client.hpp"
#include "src/http/client.hpp"

#include <array>
#include <cstddef>
#include <curl/curl.h>
#include <memory>
#include <string>
#include <string_view>

namespace sallyport::egress {

class CurlTransfer {
 public:
  // Fails with InvalidInput when method or headers cannot be sent as they are.
  static Result<std::unique_ptr<CurlTransfer>> create(http::ClientRequest request,
                                                      ClientOptions const& options);
  CurlTransfer(CurlTransfer const&) = delete;
  CurlTransfer& operator=(CurlTransfer const&) = delete;

  CURL* handle() const noexcept { return handle_.get(); }

  // Once, after libcurl is done with the handle.
  Result<http::Response> finish(CURLcode code);

 private:
  struct Free {
    void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
  };

  explicit CurlTransfer(http::ClientRequest request);

  void configure_connection(ClientOptions const& options);
  void configure_request();
  Result<void> add_headers();
  void append_header(std::string const& line);

  void take_header(std::string_view line);
  bool take_body(std::string_view bytes);

  static std::size_t on_header(char* data, std::size_t one, std::size_t size, void* self) noexcept;
  static std::size_t on_body(char* data, std::size_t one, std::size_t size, void* self) noexcept;

  http::ClientRequest request_;
  http::Response response_;
  std::size_t header_bytes_{0};
  bool too_large_{false};
  std::array<char, CURL_ERROR_SIZE> error_{};
  std::unique_ptr<curl_slist, Free> header_lines_;
  std::unique_ptr<CURL, Free> handle_;  // goes first: it refers to the rest
};

}  // namespace sallyport::egress
