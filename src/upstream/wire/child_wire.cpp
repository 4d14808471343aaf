#include "src/upstream/wire/child_wire.hpp"

#include "src/base/deadline.hpp"
#include "src/base/log.hpp"
#include "src/json/parse.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <utility>

namespace sallyport::upstream {
namespace {

using mcp::client::Conversation;

constexpr std::size_t kPiece = 64UL * 1024;
constexpr std::chrono::milliseconds kGrace{2'000};

std::string_view last_line(std::string_view text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.remove_suffix(1);
  return text.substr(text.rfind('\n') + 1);
}

Error too_long(std::size_t limit) {
  return fail(Errc::LimitExceeded, fmt::format("a message is longer than {} bytes", limit));
}

}  // namespace

Result<std::unique_ptr<ChildWire>> ChildWire::start(ChildCommand const& command, Limits limits,
                                                    Executor executor) {
  SP_TRY(auto process, ChildProcess::start(command, executor));
  std::unique_ptr<ChildWire> wire{new ChildWire{std::move(process), limits, executor}};
  wire->group_.spawn("what a child process says", wire->read());
  wire->group_.spawn("what it complains about", wire->read_errors());
  wire->group_.spawn("what it is told", wire->write());
  return wire;
}

ChildWire::ChildWire(ChildProcess process, Limits limits, Executor executor)
    : process_{std::move(process)},
      limits_{limits},
      switchboard_{executor},
      to_write_{executor},
      has_room_{executor},
      group_{executor, [](std::string_view, Error const&) {}} {}

Task<std::unique_ptr<Conversation>> ChildWire::post(mcp::client::Post post) {
  if (alive_ && waiting_bytes_ > limits_.waiting_bytes) {
    SP_CO_CHECK(co_await with_deadline(post.deadline, room()));
  }
  auto conversation = switchboard_.open(post.id);
  post.message += '\n';
  waiting_bytes_ += post.message.size();
  outbox_.push_back(std::move(post.message));
  to_write_.raise();
  co_return std::move(conversation);
}

Task<void> ChildWire::room() {
  while (alive_ && waiting_bytes_ > limits_.waiting_bytes) SP_CO_CHECK(co_await has_room_.wait());
  co_return Result<void>{};
}

Task<std::unique_ptr<Conversation>> ChildWire::listen(mcp::client::MessageHeaders) {
  co_return switchboard_.strays();
}

Task<void> ChildWire::end_session(mcp::client::MessageHeaders) {
  co_return Result<void>{};
}

// All that waits, at once. A line is written to its end, whoever gives up meanwhile: half of one
// would spoil the next.
Task<void> ChildWire::write() {
  std::vector<std::string> lines;
  std::vector<asio::const_buffer> buffers;
  for (;;) {
    while (outbox_.empty()) SP_CO_CHECK(co_await to_write_.wait());
    lines.swap(outbox_);
    for (auto const& line : lines) buffers.push_back(asio::buffer(line));
    auto const [error, count] = co_await asio::async_write(process_.input(), buffers, use_tuple);
    for (auto const& line : lines) waiting_bytes_ -= line.size();
    lines.clear();
    buffers.clear();
    has_room_.raise();
    if (error) co_return Result<void>{};  // the reader learns why
  }
}

Task<void> ChildWire::read() {
  std::string piece(kPiece, '\0');
  std::string bytes;
  for (;;) {
    auto const [error, count] =
        co_await process_.output().async_read_some(asio::buffer(piece), use_tuple);
    auto const known = bytes.size();
    bytes.append(piece, 0, count);
    if (error) {
      stop("ended");
      co_return Result<void>{};
    }
    auto const taken = take_lines(bytes, known);
    if (taken) continue;
    stop("was cut off: " + taken.error().message);
    co_return Result<void>{};
  }
}

// Leaves the line that has not ended yet. No line ends before `from`.
Result<void> ChildWire::take_lines(std::string& bytes, std::size_t from) {
  std::size_t begin = 0;
  for (auto end = bytes.find('\n', from); end != std::string::npos; end = bytes.find('\n', begin)) {
    auto const line = std::string_view{bytes}.substr(begin, end - begin);
    begin = end + 1;
    if (line.size() > limits_.message_bytes) return too_long(limits_.message_bytes);
    auto value = json::parse(line);
    // Some servers print greetings there.
    if (value) switchboard_.receive(mcp::read_message(std::move(*value)));
  }
  bytes.erase(0, begin);
  if (bytes.size() <= limits_.message_bytes) return {};
  return too_long(limits_.message_bytes);
}

Task<void> ChildWire::read_errors() {
  std::string bytes(kPiece, '\0');
  for (;;) {
    auto const [error, count] =
        co_await process_.errors().async_read_some(asio::buffer(bytes), use_tuple);
    if (error) co_return Result<void>{};
    errors_.append(bytes, 0, count);
    if (errors_.size() > limits_.errors_bytes) {
      errors_.erase(0, errors_.size() - limits_.errors_bytes);
    }
  }
}

void ChildWire::stop(std::string const& why) {
  alive_ = false;
  has_room_.raise();
  auto const complaint = last_line(errors_);
  switchboard_.end(fail(Errc::UpstreamFailed, fmt::format("The process of the MCP server {}.", why),
                        std::string{complaint}));
}

Async<void> ChildWire::close() {
  auto const how = co_await process_.end(kGrace);
  log::debug("the process of an MCP server was ended", {{"how", how}});
  group_.stop(asio::cancellation_type::terminal);
  co_await group_.join();
}

}  // namespace sallyport::upstream
