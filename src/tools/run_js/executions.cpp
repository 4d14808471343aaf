#include "src/tools/run_js/executions.hpp"

#include "src/base/assert.hpp"
#include "src/base/event_loops.hpp"
#include "src/base/log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace sallyport::tools {
namespace {

void log_failed_run(std::string_view, Error const& error) {
  log::error("script failed", {{"error", error.message}, {"detail", error.detail}});
}

Task<void> end_group(std::unique_ptr<TaskGroup> group) {
  group->stop(asio::cancellation_type::terminal);
  co_await group->join();
  co_return Result<void>{};
}

}  // namespace

ExecutionStore::ExecutionStore(ExecutionLimits limits, js::Engine& engine, Now now)
    : limits_{limits}, engine_{engine}, now_{std::move(now)} {}

ExecutionStore::~ExecutionStore() {
  SP_ASSERT(groups_.empty(), "scripts are stopped before their store goes");
}

Result<std::shared_ptr<Execution>> ExecutionStore::start(Executor home, Start what) {
  SP_TRY(auto* const group, take_place(what.script.owner, home));
  auto const execution =
      std::make_shared<Execution>(Execution::About{.id = std::move(what.id),
                                                   .owner = what.script.owner,
                                                   .session = std::move(what.session),
                                                   .output_bytes = what.script.limits.output_bytes,
                                                   .value_bytes = what.value_bytes,
                                                   .created = now_()},
                                  home);
  execution->relay_to(what.relay);
  auto task = run(execution, std::move(what.script), std::move(what.world));
  auto const child = group->spawn("script", std::move(task));
  // It may have ended at once; then there is no child any more.
  if (!has_ended(execution->status())) execution->child_ = child;
  return execution;
}

Task<void> ExecutionStore::run(std::shared_ptr<Execution> execution, js::Script script,
                               std::unique_ptr<js::World> world) {
  auto outcome = co_await capture(engine_.run(std::move(script), *world, *execution));
  world.reset();
  execution->finish(std::move(outcome), now_());
  {
    std::lock_guard const lock{mutex_};
    note_end(execution);
  }
  execution->ended_->set();
  co_return Result<void>{};
}

Result<TaskGroup*> ExecutionStore::take_place(std::string const& owner, Executor const& home) {
  std::lock_guard const lock{mutex_};
  if (stopping_) return fail(Errc::LimitExceeded, "The server is shutting down.");
  auto const found = owners_.find(owner);
  auto const under_way = found == owners_.end() ? 0 : found->second.under_way;
  if (limits_.under_way > 0 && under_way >= limits_.under_way) {
    return fail(Errc::LimitExceeded,
                fmt::format("{} of your scripts are under way already, and no more are allowed. "
                            "Wait for some to end, or cancel them.",
                            under_way));
  }
  ++owners_[owner].under_way;
  auto& group = groups_[&home.context()];
  if (!group) group = std::make_unique<TaskGroup>(home, log_failed_run);
  // Should stop() take it now: it ends the group on the loop that we are on, so after the start.
  return group.get();
}

void ExecutionStore::keep(std::shared_ptr<Execution> const& execution) {
  std::lock_guard const lock{mutex_};
  if (!by_id_.emplace(execution->id(), execution).second) return;
  auto& owner = owners_[execution->owner()];
  if (has_ended(execution->status())) {
    add_ended(owner, execution);
  } else {
    owner.running.push_back(execution);
  }
}

std::shared_ptr<Execution> ExecutionStore::find(std::string const& id, std::string const& owner) {
  std::lock_guard const lock{mutex_};
  trim_all();
  auto const found = by_id_.find(id);
  if (found == by_id_.end() || found->second->owner() != owner) return nullptr;
  return found->second;
}

std::vector<ExecutionFacts> ExecutionStore::list(std::string const& owner) {
  std::lock_guard const lock{mutex_};
  trim_all();
  std::vector<ExecutionFacts> facts;
  auto const found = owners_.find(owner);
  if (found == owners_.end()) return facts;
  for (auto const& execution : found->second.running)
    facts.push_back(execution->facts(Detail::Brief));
  for (auto const& ended : found->second.ended) facts.push_back((*ended)->facts(Detail::Brief));
  std::ranges::sort(facts, std::greater{}, &ExecutionFacts::created);
  return facts;
}

void ExecutionStore::remove_expired() {
  std::lock_guard const lock{mutex_};
  trim_all();
}

void ExecutionStore::note_end(std::shared_ptr<Execution> const& execution) {
  auto& owner = owners_[execution->owner()];
  --owner.under_way;
  if (std::erase(owner.running, execution) > 0) {
    add_ended(owner, execution);
  } else {
    drop_if_empty(execution->owner());
  }
}

void ExecutionStore::add_ended(Owner& owner, std::shared_ptr<Execution> const& execution) {
  owner.ended.push_back(ended_.insert(ended_.end(), execution));
  auto const bytes = execution->memory();
  owner.bytes += bytes;
  total_bytes_ += bytes;
  trim(owner);
  trim_all();
}

void ExecutionStore::remove_oldest(Owner& owner) {
  auto const oldest = owner.ended.front();
  auto const execution = *oldest;
  auto const bytes = execution->memory();
  owner.bytes -= bytes;
  total_bytes_ -= bytes;
  owner.ended.pop_front();
  ended_.erase(oldest);
  by_id_.erase(execution->id());
  drop_if_empty(execution->owner());
}

void ExecutionStore::trim(Owner& owner) {
  auto const is_over = [&] {
    auto const count = owner.ended.size();
    // The newest stays, however large it is: its owner has yet to see it.
    return count > limits_.kept || (count > 1 && owner.bytes > limits_.kept_bytes);
  };
  while (is_over()) {
    bool const last = owner.ended.size() == 1;
    remove_oldest(owner);
    if (last) return;  // the owner may be gone
  }
}

void ExecutionStore::trim_all() {
  auto const oldest_allowed = now_() - limits_.kept_for;
  while (!ended_.empty()) {
    auto const& oldest = *ended_.front();
    bool const fits = total_bytes_ <= limits_.total_bytes;
    if (fits && oldest.ended_at() >= oldest_allowed) return;
    // The oldest of all is the oldest of its owner.
    remove_oldest(owners_.at(oldest.owner()));
  }
}

void ExecutionStore::drop_if_empty(std::string const& owner) {
  auto const found = owners_.find(owner);
  if (found == owners_.end()) return;
  auto const& has = found->second;
  if (has.under_way == 0 && has.running.empty() && has.ended.empty()) owners_.erase(found);
}

Task<void> ExecutionStore::stop() {
  decltype(groups_) groups;
  {
    std::lock_guard const lock{mutex_};
    stopping_ = true;
    groups.swap(groups_);
  }
  for (auto& [loop, group] : groups) {
    auto const home = loop->get_executor();
    SP_CO_CHECK(co_await run_on(home, end_group(std::move(group))));
  }
  co_return Result<void>{};
}

}  // namespace sallyport::tools
