#include "src/mcp/pending_replies.hpp"

#include "src/base/loop_id.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::mcp {
namespace {

constexpr std::string_view kIdPrefix = "sp-";

}  // namespace

PendingReplies::Waiter::Waiter(PendingReplies& table, std::string session)
    : table_{table},
      id_{fmt::format("{}{}-{}", kIdPrefix, table.loop_, ++table.minted_)},
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
  return text == nullptr ? std::nullopt : loop_in_id(json::view(*text), kIdPrefix);
}

}  // namespace sallyport::mcp
