#include "src/upstream/wire/switchboard.hpp"

#include "src/mcp/envelope.hpp"
#include "src/mcp/rpc.hpp"

#include <utility>

namespace sallyport::upstream {
namespace {

// Of one conversation, while nobody reads it. SECURITY: a server may talk as fast as it likes.
constexpr std::size_t kMostWaiting = 10'000;

}  // namespace

struct Switchboard::Queue {
  explicit Queue(Executor executor) : changed{executor} {}

  void put(mcp::Message message) {
    if (messages.size() >= kMostWaiting) {
      failure = fail(Errc::LimitExceeded, "The MCP server says more than anybody can hear.");
    } else {
      messages.push_back(std::move(message));
    }
    changed.raise();
  }

  Task<std::optional<mcp::Message>> next() {
    while (messages.empty() && !failure) SP_CO_CHECK(co_await changed.wait());
    if (messages.empty()) co_return *failure;
    auto message = std::move(messages.front());
    messages.pop_front();
    co_return std::optional{std::move(message)};
  }

  std::deque<mcp::Message> messages;
  std::optional<Error> failure;
  Signal changed;
  bool is_subscription{false};  // it stays open, and says of itself what it says
};

class Switchboard::Line final : public mcp::client::Conversation {
 public:
  Line(std::shared_ptr<Queue> queue, bool has_end) : queue_{std::move(queue)}, has_end_{has_end} {}

  mcp::client::Reception const& reception() const noexcept override { return reception_; }

  Task<std::optional<mcp::Message>> next() override {
    if (over_) co_return std::optional<mcp::Message>{};
    SP_CO_TRY(auto message, co_await queue_->next());
    over_ = has_end_ && std::holds_alternative<mcp::ResponseMessage>(*message);
    co_return std::move(message);
  }

 private:
  std::shared_ptr<Queue> queue_;
  mcp::client::Reception reception_;
  bool has_end_;
  bool over_{false};
};

Switchboard::Switchboard(Executor executor)
    : executor_{executor}, strays_{std::make_shared<Queue>(executor)} {}

Switchboard::~Switchboard() {
  end(fail(Errc::Cancelled, "The connection to the MCP server was closed."));
}

std::unique_ptr<mcp::client::Conversation> Switchboard::open(json::Value const& id) {
  auto queue = std::make_shared<Queue>(executor_);
  queue->failure = ended_;
  std::erase_if(lines_, [](auto const& line) { return line.second.expired(); });
  lines_[mcp::id_key(id)] = queue;
  return std::make_unique<Line>(std::move(queue), true);
}

std::unique_ptr<mcp::client::Conversation> Switchboard::strays() {
  return std::make_unique<Line>(strays_, false);
}

void Switchboard::receive(mcp::Message message) {
  auto* const queue = addressee(message);
  if (queue != nullptr) queue->put(std::move(message));
}

void Switchboard::end(Error why) {
  ended_ = std::move(why);
  strays_->failure = ended_;
  strays_->changed.raise();
  for (auto& [id, line] : lines_) {
    auto const queue = line.lock();
    if (queue == nullptr) continue;
    queue->failure = ended_;
    queue->changed.raise();
  }
}

Switchboard::Queue* Switchboard::line_of(json::Value const* id) {
  if (id == nullptr) return nullptr;
  auto const found = lines_.find(mcp::id_key(*id));
  return found == lines_.end() ? nullptr : found->second.lock().get();
}

// Where one request is under way alone, beside subscriptions, whatever says nothing of itself
// belongs to it.
Switchboard::Queue* Switchboard::only_line() {
  Queue* only = nullptr;
  for (auto const& [id, line] : lines_) {
    auto const queue = line.lock();
    if (queue == nullptr || queue->is_subscription) continue;
    if (only != nullptr) return nullptr;
    only = queue.get();
  }
  return only;
}

Switchboard::Queue* Switchboard::addressee(mcp::Message const& message) {
  if (auto const* const response = std::get_if<mcp::ResponseMessage>(&message)) {
    return line_of(&response->id);  // nobody: it came too late
  }
  auto const* const notice = std::get_if<mcp::NotificationMessage>(&message);
  if (notice == nullptr) return strays_.get();
  if (notice->method == "notifications/progress") {
    return line_of(json::find(notice->params, mcp::meta::kProgressToken));
  }
  if (auto const* const id = mcp::meta_value(notice->params, mcp::meta::kSubscriptionId)) {
    auto* const line = line_of(id);
    if (line != nullptr) line->is_subscription = true;
    return line;
  }
  auto* const only = notice->method == "notifications/message" ? only_line() : nullptr;
  return only != nullptr ? only : strays_.get();
}

}  // namespace sallyport::upstream
