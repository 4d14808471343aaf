#include "src/mcp/listeners.hpp"

#include "src/mcp/envelope.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace sallyport::mcp {
namespace {

std::string_view method_of(Event::Kind kind) {
  switch (kind) {
    case Event::Kind::ToolsChanged: return "notifications/tools/list_changed";
    case Event::Kind::PromptsChanged: return "notifications/prompts/list_changed";
    case Event::Kind::ResourcesChanged: return "notifications/resources/list_changed";
    case Event::Kind::ResourceUpdated: return "notifications/resources/updated";
    case Event::Kind::TaskChanged: return "notifications/tasks";
  }
  return "";
}

}  // namespace

bool ListenFilter::wants(Event const& event) const {
  switch (event.kind) {
    case Event::Kind::ToolsChanged: return tools;
    case Event::Kind::PromptsChanged: return prompts;
    case Event::Kind::ResourcesChanged: return resources;
    case Event::Kind::ResourceUpdated: return uris.contains(event.subject);
    case Event::Kind::TaskChanged: return tasks.contains(event.subject);
  }
  return false;
}

std::string event_notification(Event const& event, json::Value const* subscription) {
  json::Object params;
  if (event.kind == Event::Kind::ResourceUpdated) params["uri"] = event.subject;
  if (event.kind == Event::Kind::TaskChanged) params = event.task;
  if (subscription != nullptr) {
    params["_meta"] = json::Object{{meta::kSubscriptionId, *subscription}};
  }
  return notification(method_of(event.kind), std::move(params));
}

void Listeners::attach(std::shared_ptr<Session> session, Outlet& outlet) {
  auto const number = session->open_stream();
  streams_.push_back({std::move(session), &outlet, number});
}

void Listeners::detach(Outlet& outlet) {
  streams_.remove_if([&](SessionStream const& each) { return each.outlet == &outlet; });
}

template <class Predicate>
void Listeners::close_streams(Predicate const& is_over) {
  std::vector<Outlet*> ended;
  for (auto& stream : streams_) {
    if (stream.open && is_over(*stream.session)) {
      stream.open = false;
      ended.push_back(stream.outlet);
    }
  }
  for (auto* outlet : ended) outlet->finish({});
}

void Listeners::close_session(std::string const& session) {
  close_streams([&](Session const& each) { return each.id() == session; });
}

void Listeners::close_ended_sessions() {
  close_streams([](Session const& each) { return each.is_closed(); });
}

void Listeners::close_all() {
  close_streams([](Session const&) { return true; });
}

void Listeners::deliver(Event const& event) {
  for (auto const& listener : listening_) {
    bool const hidden = event.kind == Event::Kind::TaskChanged && event.owner != listener.owner;
    if (hidden || !listener.filter.wants(event)) continue;
    listener.send(event_notification(event, &listener.subscription));
  }
  deliver_to_sessions(event);
}

void Listeners::deliver_to_sessions(Event const& event) {
  if (event.kind == Event::Kind::TaskChanged) return;
  auto const message = event_notification(event, nullptr);
  for (auto const& stream : streams_) {
    bool const wanted =
        event.kind != Event::Kind::ResourceUpdated || stream.session->is_subscribed(event.subject);
    // A newer stream on any loop has taken over: each message goes out on one stream only.
    bool const hears = stream.open && !stream.session->is_closed() &&
                       stream.session->is_current_stream(stream.number);
    if (wanted && hears) stream.outlet->send(message);
  }
}

}  // namespace sallyport::mcp
