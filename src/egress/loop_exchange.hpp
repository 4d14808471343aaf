// One request on the caller's own loop, and its answer. Inside egress.
#pragma once

#include "src/egress/answer_parser.hpp"
#include "src/egress/curl_connector.hpp"
#include "src/egress/line_pool.hpp"
#include "src/egress/tls_client.hpp"

#include <memory>
#include <optional>
#include <string>

namespace sallyport::egress {

class LoopExchange final : public Exchange {
 public:
  // `options` and `tls` are needed until begin() has returned.
  LoopExchange(Dispatch dispatch, std::shared_ptr<LinePool> pool, ConnectorOptions const& options,
               TlsClient& tls);
  ~LoopExchange() override;
  LoopExchange(LoopExchange const&) = delete;
  LoopExchange& operator=(LoopExchange const&) = delete;

  // First of all: to the head of the answer, or to its end; see Dispatch::whole.
  Task<void> begin();

  ResponseHead& head() noexcept override { return parser_->head(); }
  Task<std::string> read() override;
  Async<void> end() override;
  ExchangeStats stats() const override;

 private:
  enum class Phase { Connecting, Waiting, Body, Over };
  // What can be done where an older connection turned out to be of no use.
  enum class Again { No, Yes };

  Result<void> check() const;
  std::string spell_request() const;
  Task<void> connect();
  Task<void> ask();
  Task<void> send_request(std::string const& text);
  Task<void> receive_head();
  Task<void> receive_more(Clock::time_point late);
  Result<void> receive_end(boost::system::error_code const& error);
  Result<void> parse();
  Result<void> check_head();
  Result<void> check_body();
  void start_parser();
  void finish();
  Error give_up(Error failure);
  Error parse_failed(boost::system::error_code const& error);
  Error late() const;
  std::string take_body();

  bool is_bodiless() const noexcept;
  bool names_encodings() const noexcept;
  Clock::time_point first_deadline() const noexcept;
  std::string const& host() const noexcept { return *dispatch_.url.host(); }

  Dispatch dispatch_;
  std::shared_ptr<LinePool> pool_;
  ConnectorOptions const& options_;
  TlsClient& tls_;
  std::string const target_;
  Clock::time_point const started_{Clock::now()};
  std::shared_ptr<HttpLine> line_;  // while it is needed
  std::optional<AnswerParser> parser_;
  Phase phase_{Phase::Connecting};
  Again again_{Again::No};
  bool quiet_{false};  // an event stream, which may be silent
  bool counted_{false};
  std::size_t header_bytes_{0};
  std::size_t delivered_{0};
  std::optional<Error> failure_;
  ExchangeStats stats_;
};

}  // namespace sallyport::egress
