#include "src/stream/views.hpp"

#include "src/base/assert.hpp"
#include "src/base/event_loops.hpp"
#include "src/base/log.hpp"

#include <fmt/format.h>

#include <functional>
#include <utility>

namespace sallyport::stream {
namespace {

// No principal's key and no view's name can make it another's: a name has no line end.
std::string joined_key(ViewKey const& key) {
  return key.view + '\n' + key.principal;
}

std::string principal_in(std::string const& joined) {
  return joined.substr(joined.find('\n') + 1);
}

void log_failed_stream(std::string_view name, Error const& error) {
  log::error("stream failed", {{"task", name}, {"error", error.message}, {"detail", error.detail}});
}

Task<void> end_streams_of_loop(std::unique_ptr<TaskGroup> group) {
  group->stop(asio::cancellation_type::terminal);
  co_await group->join();
  co_return Result<void>{};
}

Error shutting_down() {
  return fail(Errc::LimitExceeded, "The server is shutting down.");
}

}  // namespace

Views::Views(Limits limits, View::Now now) : limits_{limits}, now_{std::move(now)} {}

Views::~Views() {
  SP_ASSERT(groups_.empty(), "streams are stopped before their views go");
  for (auto& shard : shards_) {
    for (auto const& [key, view] : shard.views) view->close_all();
  }
}

Views::Shard& Views::shard_of(std::string const& key) const {
  return shards_[std::hash<std::string>{}(key) % shards_.size()];
}

std::shared_ptr<View> Views::find_view(ViewKey const& key) const {
  auto const joined = joined_key(key);
  auto& shard = shard_of(joined);
  std::lock_guard const lock{shard.mutex};
  auto const found = shard.views.find(joined);
  return found == shard.views.end() ? nullptr : found->second;
}

Result<std::shared_ptr<Budget>> Views::count_view(std::string const& principal) {
  std::lock_guard const lock{mutex_};
  if (stopping_) return shutting_down();
  auto& holder = holders_[principal];
  if (holder.views >= limits_.views_per_principal) {
    return fail(Errc::LimitExceeded,
                fmt::format("You have {} views with streams, and may have no more.", holder.views));
  }
  ++holder.views;
  if (!holder.budget) holder.budget = std::make_shared<Budget>(limits_.principal_bytes);
  return holder.budget;
}

void Views::forget_view(std::string const& key) {
  std::lock_guard const lock{mutex_};
  auto const found = holders_.find(principal_in(key));
  if (--found->second.views == 0) holders_.erase(found);
}

Result<std::shared_ptr<View>> Views::find_or_make(ViewKey const& key) {
  if (auto found = find_view(key)) return found;
  SP_TRY(auto budget, count_view(key.principal));
  auto const joined = joined_key(key);
  std::shared_ptr<View> view;
  bool made = false;
  {
    auto& shard = shard_of(joined);
    std::lock_guard const lock{shard.mutex};
    auto& place = shard.views[joined];
    made = !place;
    if (made) place = std::make_shared<View>(limits_, std::move(budget), now_);
    view = place;
  }
  if (!made) forget_view(joined);  // another call was first
  return view;
}

Result<void> Views::check_place(ViewKey const& key) const {
  auto const view = find_view(key);
  return view ? view->check_place() : Result<void>{};
}

Result<Opening> Views::open(ViewKey const& key, Executor home) {
  for (;;) {
    SP_TRY(auto const view, find_or_make(key));
    if (auto stream = view->make_stream(home)) return Opening{std::move(stream)};
    // It expired a moment ago, and sweep() is about to take it out.
  }
}

Result<void> Views::start(std::shared_ptr<Stream> const& stream, std::string_view name,
                          Task<void> task) {
  TaskGroup* group = nullptr;
  {
    std::lock_guard const lock{mutex_};
    if (stopping_) return shutting_down();
    auto& place = groups_[&stream->home().context()];
    if (!place) place = std::make_unique<TaskGroup>(stream->home(), log_failed_stream);
    // Should stop() take it now: it ends the group on the loop that we are on, so after the start.
    group = place.get();
  }
  stream->run(*group, name, std::move(task));
  return {};
}

Result<std::shared_ptr<Stream>> Views::find(ViewKey const& key, std::string_view id) const {
  auto const view = find_view(key);
  auto stream = view ? view->find(id) : nullptr;
  if (!stream) return fail(Errc::NotFound, "There is no such stream.");
  return stream;
}

std::vector<std::string> Views::close(ViewKey const& key, std::vector<std::string> const& ids) {
  std::vector<std::string> closed;
  auto const view = find_view(key);
  if (!view) return closed;
  for (auto const& id : ids) {
    auto const stream = view->find(id);
    if (!stream) continue;
    stream->close();
    closed.push_back(id);
  }
  return closed;
}

std::vector<std::string> Views::close_all(ViewKey const& key) {
  auto const view = find_view(key);
  return view ? close(key, view->ids()) : std::vector<std::string>{};
}

Result<Pull> Views::pull(ViewKey const& key, PullRequest request) {
  return Pull::begin(find_view(key), request);
}

void Views::sweep() {
  auto const now = now_();
  for (auto& shard : shards_) {
    std::vector<std::string> gone;
    {
      std::lock_guard const lock{shard.mutex};
      for (auto each = shard.views.begin(); each != shard.views.end();) {
        if (!each->second->expire(now)) {
          ++each;
          continue;
        }
        gone.push_back(each->first);
        each = shard.views.erase(each);
      }
    }
    for (auto const& key : gone) forget_view(key);
  }
}

std::size_t Views::size() const {
  std::size_t count = 0;
  for (auto& shard : shards_) {
    std::lock_guard const lock{shard.mutex};
    count += shard.views.size();
  }
  return count;
}

Task<void> Views::stop() {
  decltype(groups_) groups;
  {
    std::lock_guard const lock{mutex_};
    stopping_ = true;
    groups.swap(groups_);
  }
  for (auto& shard : shards_) {
    std::lock_guard const lock{shard.mutex};
    for (auto const& [key, view] : shard.views) view->close_all();
    shard.views.clear();
  }
  for (auto& [loop, group] : groups) {
    auto const home = loop->get_executor();
    SP_CO_CHECK(co_await run_on(home, end_streams_of_loop(std::move(group))));
  }
  co_return Result<void>{};
}

}  // namespace sallyport::stream
