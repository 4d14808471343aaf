#include "src/transport/stdio.hpp"

#include "src/base/log.hpp"
#include "src/mcp/dispatcher.hpp"
#include "src/transport/line_io.hpp"

#include <boost/asio/post.hpp>

#include <utility>

namespace sallyport::transport {

Stdio::Stdio(StdioOptions options, mcp::Server& server, std::function<void()> on_end)
    : options_{options},
      server_{server},
      on_end_{std::move(on_end)},
      ending_{server.loops().executor(0)} {}

Stdio::~Stdio() = default;

void Stdio::start() {
  auto const executor = server_.loops().executor(0);
  writer_ = std::make_unique<LineWriter>(options_.output, options_.queue_bytes);
  peer_ = std::make_unique<DuplexPeer>(
      server_.dispatcher(0), Principal{}, options_.json_depth,
      DuplexPeer::Output{
          .write = [this](std::string message) { writer_->write(std::move(message)); },
          .unsent = [this] { return writer_->unwritten(); }});
  LineReader::Limits const limits{options_.line_bytes, options_.queue_lines};
  LineReader::Events events{
      .on_line =
          [this, executor](std::string line, bool too_long) {
            asio::post(executor, [this, line = std::move(line), too_long]() mutable {
              take_line(std::move(line), too_long);
            });
          },
      .on_end = [this, executor] { asio::post(executor, [this] { on_input_end(); }); },
      .before_read = [this] { writer_->wait_for_room(); }};
  reader_ = std::make_unique<LineReader>(options_.input, limits, std::move(events));
}

void Stdio::take_line(std::string line, bool too_long) {
  reader_->line_taken();
  if (ended_) return;
  if (too_long) {
    mcp::RpcError const error{mcp::code::kInvalidRequest, "The message is too long."};
    writer_->write(mcp::error_answer(nullptr, error, mcp::kLatestLegacy).body);
    return;
  }
  if (line.find_first_not_of(" \t\r") != std::string::npos) peer_->receive(line);
}

// What was asked before the input ended is still answered: `printf … | sallyport stdio` works.
void Stdio::on_input_end() {
  give_up_ = Clock::now() + options_.grace;
  check_end();
}

void Stdio::check_end() {
  if (ended_) return;
  if (peer_->in_flight() == 0 || Clock::now() >= give_up_) {
    end();
    return;
  }
  ending_.expires_after(std::chrono::milliseconds{10});
  ending_.async_wait([this](boost::system::error_code const& error) {
    if (!error) check_end();
  });
}

void Stdio::stop() {
  end();
}

void Stdio::end() {
  if (std::exchange(ended_, true)) return;
  ending_.cancel();
  peer_.reset();
  reader_->stop();
  writer_->finish();
  on_end_();
}

}  // namespace sallyport::transport
