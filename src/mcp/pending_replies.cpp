#include "src/mcp/pending_replies.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace sallyport::mcp {

PendingReplies::Waiter::Waiter(PendingReplies& table, std::string session)
    : table_{table},
      id_{fmt::format("sp-{}-{}", table.loop_, ++table.minted_)},
      session_{std::move(session)},
      arrived_{table.executor_, Timer::time_point::max()} {
  table_.waiting_.emplace(id_, this);
}

PendingReplies::Waiter::~Waiter() {
  table_.waiting_.erase(id_);
}

Task<json::Object> PendingReplies::Waiter::wait() {
  if (!reply_) co_await arrived_.async_wait(use_tuple);
  if (!reply_) co_return fail(Errc::Cancelled, "The request was cancelled.");
  if (reply_->error) {
    auto const* message = json::find_string(*reply_->error, "message");
    co_return fail(Errc::UpstreamFailed,
                   fmt::format("The client refused to answer: {}",
                               message == nullptr ? "no reason given" : json::view(*message)));
  }
  co_return std::move(reply_->result);
}

void PendingReplies::deliver(std::string const& session, ResponseMessage reply) {
  auto const* id = reply.id.if_string();
  if (id == nullptr) return;
  auto const found = waiting_.find(std::string{json::view(*id)});
  // SECURITY: only the session that was asked may answer.
  if (found == waiting_.end() || found->second->session_ != session) return;
  found->second->reply_ = std::move(reply);
  found->second->arrived_.cancel();
}

std::optional<std::size_t> PendingReplies::loop_of(json::Value const& id) {
  auto const* text = id.if_string();
  if (text == nullptr || !text->starts_with("sp-")) return std::nullopt;
  std::size_t loop = 0;
  auto const* const end = text->data() + text->size();
  auto const parsed = std::from_chars(text->data() + 3, end, loop);
  if (parsed.ec != std::errc{} || parsed.ptr == end || *parsed.ptr != '-') return std::nullopt;
  return loop;
}

}  // namespace sallyport::mcp
