#include "src/transport/duplex_peer.hpp"

#include "src/base/random_id.hpp"
#include "src/json/parse.hpp"
#include "src/transport/batch.hpp"

#include <algorithm>
#include <utility>

namespace sallyport::transport {

// Where the messages of one request go: to the one stream there is.
class DuplexPeer::Line final : public mcp::Outlet {
 public:
  Line(Output const& output, bool waits_for_an_end) : output_{output}, awaited_{waits_for_an_end} {}

  void send(std::string message) override { output_.write(std::move(message)); }
  void finish(mcp::Answer answer) override {
    finished_ = true;
    if (!answer.body.empty()) output_.write(std::move(answer.body));
  }
  std::size_t unsent_bytes() const override { return output_.unsent(); }

  bool is_finished() const noexcept { return finished_; }
  bool is_awaited() const noexcept { return awaited_ && !finished_; }
  void keep(std::shared_ptr<void> companion) { companion_ = std::move(companion); }

 private:
  Output const& output_;
  bool awaited_;
  bool finished_{false};
  std::shared_ptr<void> companion_;
};

DuplexPeer::DuplexPeer(mcp::Dispatcher& dispatcher, Principal principal, std::size_t json_depth,
                       Output output)
    : dispatcher_{dispatcher},
      principal_{std::move(principal)},
      json_depth_{json_depth},
      output_{std::move(output)},
      scope_{"peer " + random_id(8)} {}

DuplexPeer::~DuplexPeer() {
  for (auto const& line : lines_) {
    if (!line->is_finished()) {
      dispatcher_.abandon(*line, mcp::Dispatcher::PeerGone::Cancels);
    }
  }
  if (standing_) dispatcher_.detach_stream(*standing_);
  if (session_) dispatcher_.server().close_session(*session_);
}

void DuplexPeer::receive(std::string_view text) {
  reap();
  auto parsed = json::parse(text, {}, {.depth = json_depth_});
  if (!parsed) {
    mcp::RpcError const error{mcp::code::kParseError, parsed.error().message};
    output_.write(mcp::error_answer(nullptr, error, mcp::kLatestLegacy).body);
    return;
  }
  std::visit([this](auto classified) { take(std::move(classified)); },
             mcp::classify(std::move(*parsed), nullptr));
}

std::size_t DuplexPeer::in_flight() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(lines_, [](auto const& line) { return line->is_awaited(); }));
}

void DuplexPeer::reap() {
  std::erase_if(lines_, [](auto const& line) { return line->is_finished(); });
}

DuplexPeer::Line& DuplexPeer::add_line(bool waits_for_an_end) {
  return *lines_.emplace_back(std::make_unique<Line>(output_, waits_for_an_end));
}

RequestContext DuplexPeer::context(json::Object const& params) const {
  return {.request_id = random_id(8), .principal = principal_, .trace = mcp::read_trace(params)};
}

void DuplexPeer::take(mcp::ModernRequest request) {
  auto& line = add_line(request.message.method != "subscriptions/listen");
  auto about = context(request.message.params);
  auto taken = mcp::modern_request(std::move(request.message), std::move(request.envelope),
                                   std::move(about));
  taken.cancel_scope = scope_;
  dispatcher_.handle(std::move(taken), line);
}

void DuplexPeer::take(mcp::ModernNotification notification) {
  dispatcher_.handle_notification(notification.message, scope_);
}

void DuplexPeer::take(mcp::Refused refused) {
  output_.write(std::move(refused.answer.body));
}

void DuplexPeer::take(mcp::LegacyMessage message) {
  if (auto* request = std::get_if<mcp::RequestMessage>(&message.message)) {
    take_legacy(std::move(*request));
  } else if (auto const* notification = std::get_if<mcp::NotificationMessage>(&message.message)) {
    // A modern client on stdio cancels by a notification that carries no mark of its era.
    dispatcher_.handle_notification(*notification, scope_);
    if (session_) dispatcher_.handle_notification(*notification, session_->id());
  } else if (session_) {
    dispatcher_.server().deliver_reply(session_->id(),
                                       std::move(std::get<mcp::ResponseMessage>(message.message)));
  }
}

void DuplexPeer::take_legacy(mcp::RequestMessage message) {
  if (message.method == "initialize") {
    open(message);
    return;
  }
  if (!session_ && message.method == "ping") {
    output_.write(mcp::result_answer(message.id, "{}").body);
    return;
  }
  if (!session_) {
    mcp::RpcError const error{mcp::code::kInvalidRequest,
                              "Send 'initialize' first, or name a protocol version in "
                              "'params._meta'."};
    output_.write(mcp::error_answer(message.id, error, mcp::kLatestLegacy).body);
    return;
  }
  session_->touch();
  auto about = context(message.params);
  auto& line = add_line(true);
  dispatcher_.handle(mcp::legacy_request(std::move(message), session_, std::move(about)), line);
}

void DuplexPeer::open(mcp::RequestMessage const& message) {
  auto opened = dispatcher_.open_session(message, principal_);
  output_.write(std::move(opened.answer.body));
  if (!opened.session) return;
  if (standing_) dispatcher_.detach_stream(*standing_);
  if (session_) dispatcher_.server().close_session(*session_);
  session_ = std::move(opened.session);
  standing_ = std::make_unique<Line>(output_, false);
  dispatcher_.attach_stream(session_, *standing_);
}

void DuplexPeer::take(mcp::LegacyBatch batch) {
  if (!session_ || !mcp::has_batching(session_->agreement().revision)) {
    mcp::RpcError const error{mcp::code::kInvalidRequest,
                              "Batches need a session of 2025-03-26 or older."};
    output_.write(mcp::error_answer(nullptr, error, mcp::kLatestLegacy).body);
    return;
  }
  auto& line = add_line(true);
  line.keep(start_batch(dispatcher_, std::move(batch), session_, context({}), line));
}

}  // namespace sallyport::transport
