#include "src/mcp/server.hpp"

#include "src/base/task_group.hpp"
#include "src/mcp/dispatcher.hpp"

#include <array>
#include <utility>

namespace sallyport::mcp {

Server::Server(ServerOptions options, std::shared_ptr<Registry const> registry, EventLoops& loops,
               Sealer const& sealer, Metrics& metrics)
    : options_{std::move(options)},
      loops_{loops},
      sealer_{sealer},
      counters_{
          metrics.counter("sallyport_mcp_requests_total", "MCP requests taken in."),
          metrics.counter("sallyport_mcp_errors_total", "MCP requests answered with an error."),
          metrics.counter("sallyport_mcp_cancelled_total", "MCP requests given up by the client."),
          metrics.histogram("sallyport_mcp_call_seconds", "Time from a call to its answer."),
          metrics.gauge("sallyport_mcp_calls_in_flight", "Calls that are running."),
          metrics.gauge("sallyport_mcp_listeners", "Open subscriptions/listen requests."),
      },
      sessions_{options_.sessions},
      registry_{registry} {
  for (std::size_t loop = 0; loop < loops.size(); ++loop) {
    dispatchers_.push_back(std::make_unique<Dispatcher>(*this, loop, registry));
  }
}

Server::~Server() = default;

void Server::publish(Event event) const {
  auto const shared = std::make_shared<Event const>(std::move(event));
  loops_.on_each([this, shared](std::size_t loop) { dispatchers_[loop]->deliver(*shared); });
}

void Server::replace_registry(std::shared_ptr<Registry const> registry) {
  loops_.on_each(
      [this, registry](std::size_t loop) { dispatchers_[loop]->replace_registry(registry); });
  std::shared_ptr<Registry const> before;
  {
    std::lock_guard const lock{mutex_};
    before = std::exchange(registry_, registry);
  }
  using List = Registry::List;
  constexpr std::array<std::pair<List, Event::Kind>, 3> kLists{
      {{List::Tools, Event::Kind::ToolsChanged},
       {List::Prompts, Event::Kind::PromptsChanged},
       {List::Resources, Event::Kind::ResourcesChanged}}};
  for (auto const& [list, kind] : kLists) {
    if (before->fingerprint(list) != registry->fingerprint(list)) publish({.kind = kind});
  }
}

void Server::cancel(std::string const& scope, json::Value const& id) const {
  auto const key = Dispatcher::call_key(scope, id);
  loops_.on_each([this, key](std::size_t loop) { dispatchers_[loop]->cancel(key); });
}

void Server::deliver_reply(std::string const& session, ResponseMessage reply) const {
  auto const loop = PendingReplies::loop_of(reply.id);
  if (!loop || *loop >= loops_.size()) return;
  // Copied into storage of its own: it changes loops.
  ResponseMessage copy{.id = json::Value(reply.id, json::Storage{}),
                       .result = json::Object(reply.result, json::Storage{})};
  if (reply.error) copy.error = json::Object(*reply.error, json::Storage{});
  asio::post(loops_.executor(*loop), [this, loop, session, copy = std::move(copy)]() mutable {
    dispatchers_[*loop]->replies().deliver(session, std::move(copy));
  });
}

void Server::close_session(Session& session) {
  sessions_.close(session);
  loops_.on_each(
      [this, id = session.id()](std::size_t loop) { dispatchers_[loop]->end_session(id); });
}

void Server::sweep() {
  sessions_.close_idle(Clock::now());
  loops_.on_each([this](std::size_t loop) { dispatchers_[loop]->sweep(); });
}

namespace {

Task<void> stop_dispatcher(Dispatcher& dispatcher) {
  co_await dispatcher.stop();
  co_return Result<void>{};
}

Task<void> stop_all(Server& server) {
  for (std::size_t loop = 0; loop < server.loops().size(); ++loop) {
    SP_CO_CHECK(
        co_await run_on(server.loops().executor(loop), stop_dispatcher(server.dispatcher(loop))));
  }
  co_return Result<void>{};
}

}  // namespace

Task<void> Server::stop() {
  return stop_all(*this);
}

}  // namespace sallyport::mcp
