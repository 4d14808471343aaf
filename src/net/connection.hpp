// One connection: reads its requests one after the other, has each answered, obeys the limits.
//
// It is the Exchange that the handler sees; request and buffers are reused from one request to the
// next, so that a small request allocates next to nothing.
#pragma once

#include "src/http/request_head.hpp"
#include "src/net/exchange.hpp"
#include "src/net/loop_server.hpp"
#include "src/net/read_buffer.hpp"
#include "src/net/wire.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace sallyport::net {

class Connection final : public Exchange {
 public:
  Connection(LoopServer& loop, Socket socket);
  ~Connection() override;

  // Until the peer or a limit ends the connection. Nothing refers to this object afterwards.
  Async<void> serve();
  // Answers 503 and closes.
  Async<void> turn_away();

  // From the loop, between two steps of serve():
  void check_time(Clock::time_point now);
  void stop();  // the server is stopping
  void cut();   // now

  http::ServerRequest& request() noexcept override { return request_; }
  Task<void> respond(http::Response response) override;
  Task<void> begin(http::Response response) override;
  Task<void> write(std::string_view piece) override;
  Task<void> end() override;
  void watch_disconnect(std::function<void()> on_gone) override;
  bool stopping() const noexcept override { return loop_.stopping(); }
  void watch_stop(std::function<void()> on_stop) override;

 private:
  enum class Phase { Idle, Head, Body, Answer, Closing };
  enum class Answer { None, Streaming, Complete, Broken };
  enum class Read { Complete, Refused, Ended };

  ServerLimits const& limits() const noexcept { return loop_.shared().limits; }
  ServerMetrics const& metrics() const noexcept { return loop_.shared().metrics; }

  // Reading (connection.cpp).
  Async<Read> read_request();
  Async<Read> read_body();
  Async<Read> read_sized_body();
  Async<Read> read_chunked_body();
  Async<bool> read_into_body(std::size_t count);
  void take_body(std::size_t count);
  Async<bool> fill();
  bool note_read(ErrorCode error, std::size_t count);
  Async<void> watch_end();
  Read refuse(int status, std::string_view message) noexcept;
  Read refuse_unfinished() noexcept;
  void release_memory();
  Async<void> close_in_order();

  // Answering (connection_answer.cpp).
  Async<void> answer_request();
  Async<void> run_handler();
  void log_request(double seconds) const;
  Async<void> send_refusal();
  Task<void> send_piece(std::string_view piece);
  Async<ErrorCode> send(Buffers buffers);
  void start_head(http::Response& response, std::optional<std::size_t> length);
  void look_for_disconnect();
  void on_watched_read(ErrorCode error, std::size_t count);
  void tell_gone();
  void call_later(std::function<void()> Connection::* callback);

  LoopServer& loop_;
  LoopServer::Place place_;
  Wire wire_;
  ReadBuffer buffer_;
  http::RequestHeadParser parser_;
  http::ServerRequest request_;
  http::Refusal refusal_;
  std::string out_;  // the head, and a small body behind it

  std::string const peer_address_;

  Phase phase_{Phase::Idle};
  Answer answer_{Answer::None};
  bool keep_alive_{true};
  bool chunked_{false};  // the answer
  int status_{0};
  bool body_allowed_{true};  // false: an answer to HEAD, or a status without a body
  bool timed_out_{false};    // the read
  bool gone_{false};         // the peer has closed its side
  bool broken_{false};       // and not in order
  bool closed_{false};       // by us
  bool drain_{false};
  Clock::time_point read_until_{Clock::time_point::max()};
  Clock::time_point write_until_{Clock::time_point::max()};
  Clock::time_point received_;

  bool watching_{false};  // a read is under way that no coroutine awaits
  Timer watch_ended_;     // never expires; cancelled when the read has ended
  std::function<void()> on_gone_;
  std::function<void()> on_stop_;
  std::shared_ptr<char> alive_;  // watched by what was posted
};

}  // namespace sallyport::net
