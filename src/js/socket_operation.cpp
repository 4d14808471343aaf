// WebSocket: messages both ways until one side closes it.
#include "src/base/task_group.hpp"
#include "src/js/operations.hpp"
#include "src/js/payload.hpp"
#include "src/json/parse.hpp"

#include <utility>

namespace sallyport::js {
namespace {

// In front of a message in its frame.
constexpr char kTextMark = 't';
constexpr char kBinaryMark = 'b';

struct Goodbye {
  std::optional<std::uint16_t> code;
  std::string reason;
};

// What End says; whether its code is a good one, the socket says.
Goodbye goodbye_in(std::string_view payload) {
  Goodbye goodbye;
  auto const parsed = json::parse(payload);
  auto const* const said = parsed ? parsed->if_object() : nullptr;
  if (said == nullptr) return goodbye;
  goodbye.reason = text_in(*said, "reason");
  auto const* const code = json::find(*said, "code");
  if (code != nullptr && code->is_int64() && std::in_range<std::uint16_t>(code->get_int64())) {
    goodbye.code = static_cast<std::uint16_t>(code->get_int64());
  }
  // https://websockets.spec.whatwg.org/#close-the-websocket
  if (!goodbye.code && !goodbye.reason.empty()) goodbye.code = 1000;
  return goodbye;
}

class SocketOperation final : public ScriptCall {
 public:
  SocketOperation(std::uint32_t id, SocketCall call, CallShare& share, Executor executor)
      : ScriptCall{id, share, executor},
        call_{std::move(call)},
        sending_{executor, [](std::string_view, Error const&) {}} {}

 private:
  Task<void> perform() override {
    SP_CO_TRY(auto const socket, co_await share().world.connect(std::move(call_)));
    answer(json::Object{{"protocol", socket->protocol()}, {"extensions", socket->extensions()}});
    sending_.spawn("messages of a script", send_messages(*socket));
    auto const done = co_await capture(relay(*socket));
    sending_.stop(asio::cancellation_type::terminal);
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    co_await sending_.join();
    co_return done;
  }

  // What cannot be sent any more is dropped, as the standard has it: relay() finds out why.
  Task<void> send_messages(Socket& socket) {
    while (true) {
      auto piece = co_await next_piece();
      if (!piece) {
        // More than the run may move: this ends the socket, and with it relay().
        if (piece.error().code != Errc::LimitExceeded) co_return std::move(piece).error();
        too_much_ = piece.error();
        co_return co_await close(socket, {});
      }
      if (piece->last) co_return co_await close(socket, goodbye_in(piece->bytes));
      if (piece->bytes.empty()) continue;
      bool const text = piece->bytes.front() == kTextMark;
      piece->bytes.erase(0, 1);
      SP_CO_CHECK(co_await socket.send({text, std::move(piece->bytes)}));
    }
  }

  static Task<void> close(Socket& socket, Goodbye goodbye) {
    co_return co_await socket.close(goodbye.code, std::move(goodbye.reason));
  }

  Task<void> relay(Socket& socket) {
    while (true) {
      auto message = co_await socket.next();
      if (!message) co_return tell_failure(socket, message.error());
      if (!*message) break;
      auto& [text, data] = **message;
      data.insert(data.begin(), text ? kTextMark : kBinaryMark);
      auto const sent = co_await send_message(data);
      if (!sent) co_return tell_failure(socket, sent.error());
    }
    if (too_much_) co_return tell_failure(socket, *too_much_);
    auto const& closing = socket.closing();
    json::Object ending{{"reason", closing.reason}};
    if (closing.code != kNoCode) ending["code"] = closing.code;
    send_end(ending);
    co_return Result<void>{};
  }

  // The code is the server's, where there is one.
  Result<void> tell_failure(Socket& socket, Error const& error) {
    if (error.code == Errc::Cancelled) return error;
    auto ending = error_payload(error);
    ending["code"] = socket.closing().code;
    send_end(ending);
    return {};
  }

  static constexpr std::uint16_t kNoCode = 1005;

  SocketCall call_;
  TaskGroup sending_;
  std::optional<Error> too_much_;
};

}  // namespace

Result<std::unique_ptr<ScriptCall>> make_socket(std::uint32_t id, json::Object const& asked,
                                                CallShare& share, Executor executor) {
  SocketCall call{.url = text_in(asked, "url"), .protocols = {}};
  if (auto const* const protocols = json::find_array(asked, "protocols")) {
    for (auto const& protocol : *protocols) {
      if (!protocol.is_string()) return fail(Errc::InvalidInput, "Subprotocols are texts.");
      call.protocols.emplace_back(json::view(protocol.get_string()));
    }
  }
  return std::make_unique<SocketOperation>(id, std::move(call), share, executor);
}

}  // namespace sallyport::js
