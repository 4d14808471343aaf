#include "src/mcp/task_store.hpp"

#include "src/base/loop_id.hpp"
#include "src/base/random_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::mcp {

std::string_view to_string(TaskStatus status) noexcept {
  switch (status) {
    case TaskStatus::Working: return "working";
    case TaskStatus::InputRequired: return "input_required";
    case TaskStatus::Completed: return "completed";
    case TaskStatus::Failed: return "failed";
    case TaskStatus::Cancelled: return "cancelled";
  }
  return "failed";
}

Result<TaskStore::Entry*> TaskStore::create(std::string owner,
                                            std::optional<std::chrono::milliseconds> ttl) {
  if (entries_.size() >= limits_.tasks) remove_expired(WallClock::now());
  if (entries_.size() >= limits_.tasks) {
    return fail(Errc::LimitExceeded, "There are too many tasks. Try again later.");
  }
  auto entry = std::make_unique<Entry>(executor_);
  entry->state.id = fmt::format("t{}-{}", loop_, random_id());
  entry->state.owner = std::move(owner);
  entry->state.created = entry->state.updated = WallClock::now();
  entry->state.ttl = std::min(ttl.value_or(limits_.ttl), limits_.ttl);
  auto* const made = entry.get();
  entries_.emplace(made->state.id, std::move(entry));
  return made;
}

TaskStore::Entry* TaskStore::find(std::string const& id, std::string const& owner) {
  auto const found = entries_.find(id);
  if (found == entries_.end() || found->second->state.owner != owner) return nullptr;
  return found->second.get();
}

std::vector<TaskSnapshot> TaskStore::list(std::string const& owner) const {
  std::vector<TaskSnapshot> found;
  for (auto const& [id, entry] : entries_) {
    if (entry->state.owner == owner) found.push_back(entry->state);
  }
  std::ranges::sort(found, {},
                    [](TaskSnapshot const& each) { return std::pair{each.created, each.id}; });
  return found;
}

void TaskStore::set_status(Entry& entry, TaskStatus status, std::string message) {
  entry.state.status = status;
  entry.state.status_message = std::move(message);
  entry.state.updated = WallClock::now();
}

void TaskStore::remove_expired(WallClock::time_point now) {
  for (auto const& [id, entry] : entries_) {
    bool const overdue = now > entry->state.created + entry->state.ttl;
    if (overdue && entry->running && entry->cancel_call) entry->cancel_call();
  }
  std::erase_if(entries_, [&](auto const& each) {
    auto const& entry = *each.second;
    return !entry.running && now > entry.state.created + entry.state.ttl;
  });
}

std::optional<std::size_t> TaskStore::loop_of(std::string_view id) {
  return loop_in_id(id, "t");
}

}  // namespace sallyport::mcp
