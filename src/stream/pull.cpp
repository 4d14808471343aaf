#include "src/stream/pull.hpp"

#include <utility>

namespace sallyport::stream {

Result<Pull> Pull::begin(std::shared_ptr<View> view, PullRequest const& request) {
  View::Begun begun{.turn = 0, .names_unknown = !request.acks.empty()};
  if (view) {
    SP_TRY(begun, view->begin_pull(request));
  }
  std::vector<std::string> named;
  for (auto const& [id, next] : request.acks) named.push_back(id);
  return Pull{std::move(view), begun, std::move(named)};
}

Pull::~Pull() {
  if (view_) view_->end_pull();
}

Pull::Pull(Pull&& other) noexcept
    : view_{std::exchange(other.view_, nullptr)},
      begun_{other.begun_},
      named_{std::move(other.named_)} {}

std::vector<NumberedFrame> Pull::take(std::size_t max_bytes) {
  return view_ ? view_->take(begun_.turn, max_bytes) : std::vector<NumberedFrame>{};
}

Async<Wakeup> Pull::wait(Deadline deadline) {
  if (!view_) co_return Wakeup::Happened;
  co_return co_await view_->wait(begun_.turn, deadline);
}

View::State Pull::state() const {
  return view_ ? view_->state(begun_.turn) : View::State{};
}

std::vector<std::string> Pull::closed() const {
  std::vector<std::string> closed;
  for (auto const& id : named_) {
    if (!view_ || !view_->find(id)) closed.push_back(id);
  }
  return closed;
}

}  // namespace sallyport::stream
