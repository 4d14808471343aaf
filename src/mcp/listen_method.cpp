// subscriptions/listen: a request that stays open and carries news.
#include "src/mcp/dispatcher.hpp"
#include "src/mcp/methods.hpp"

#include <utility>
#include <vector>

namespace sallyport::mcp {
namespace {

constexpr std::size_t kMaxSubjects = 1000;

bool flag(json::Object const& wanted, std::string_view name) {
  auto const* value = wanted.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

void read_names(json::Object const& wanted, std::string_view member, std::set<std::string>& names) {
  auto const* list = json::find_array(wanted, member);
  if (list == nullptr) return;
  for (auto const& each : *list) {
    if (each.is_string() && names.size() < kMaxSubjects)
      names.emplace(json::view(each.get_string()));
  }
}

// What of the wish can be granted: only what the server says it can do.
ListenFilter grant(json::Object const& wanted, Registry const& registry) {
  auto const& capabilities = registry.capabilities(kModern);
  ListenFilter filter;
  filter.tools = flag(wanted, "toolsListChanged") && capabilities.contains("tools");
  filter.prompts = flag(wanted, "promptsListChanged") && capabilities.contains("prompts");
  filter.resources = flag(wanted, "resourcesListChanged") && capabilities.contains("resources");
  if (capabilities.contains("resources")) {
    read_names(wanted, "resourceSubscriptions", filter.uris);
  }
  if (capabilities.contains("extensions")) read_names(wanted, "taskIds", filter.tasks);
  return filter;
}

json::Array names_array(std::set<std::string> const& names) {
  json::Array array;
  for (auto const& name : names) array.emplace_back(name);
  return array;
}

json::Object granted_object(ListenFilter const& filter) {
  json::Object object;
  if (filter.tools) object["toolsListChanged"] = true;
  if (filter.prompts) object["promptsListChanged"] = true;
  if (filter.resources) object["resourcesListChanged"] = true;
  if (!filter.uris.empty()) object["resourceSubscriptions"] = names_array(filter.uris);
  if (!filter.tasks.empty()) object["taskIds"] = names_array(filter.tasks);
  return object;
}

// As long as the request is open. What cannot be had is not granted.
std::vector<Interest> take_interest(Server const& server, Principal const& principal,
                                    ListenFilter& filter) {
  std::vector<Interest> interests;
  std::erase_if(filter.uris, [&](std::string const& uri) {
    auto interest = server.subscribe(uri, principal);
    if (interest) interests.push_back(std::move(*interest));
    return !interest;
  });
  return interests;
}

}  // namespace

Task<std::string> listen(Dispatcher& dispatcher, Call& call) {
  auto const& message = call.message();
  auto const* const wanted = json::find_object(message.params, "notifications");
  if (wanted == nullptr) {
    co_return fail(Errc::InvalidInput, "'params.notifications' is missing or not an object.");
  }
  auto filter = grant(*wanted, call.registry());
  auto const interests = take_interest(dispatcher.server(), message.context.principal, filter);
  json::Object const subscription{{meta::kSubscriptionId, message.id}};
  call.send(notification(
      "notifications/subscriptions/acknowledged",
      json::Object{{"notifications", granted_object(filter)}, {"_meta", subscription}}));

  Listeners::Listener listener{.filter = std::move(filter),
                               .subscription = message.id,
                               .owner = message.owner(),
                               .send = [&call](std::string text) { call.send(std::move(text)); }};
  auto const handle = dispatcher.listeners().add(std::move(listener));
  dispatcher.server().counters().listeners.add(1);
  Timer forever{dispatcher.executor(), Timer::time_point::max()};
  co_await forever.async_wait(use_tuple);
  dispatcher.server().counters().listeners.add(-1);
  dispatcher.listeners().remove(handle);

  if (call.cancel_reason != CancelReason::ShuttingDown) {
    co_return fail(Errc::Cancelled, "The subscription was cancelled.");
  }
  co_return dispatcher.format().wrap(json::Object{{"_meta", subscription}}, message.revision);
}

}  // namespace sallyport::mcp
