#include "src/upstream/gateway/gateway.hpp"

#include "src/base/deadline.hpp"
#include "src/base/log.hpp"
#include "src/upstream/catalog/uris.hpp"
#include "src/upstream/gateway/shown_entries.hpp"

#include <boost/asio/dispatch.hpp>

#include <algorithm>
#include <utility>

namespace sallyport::upstream {
namespace {

constexpr std::chrono::milliseconds kSettleRegistry{20};
constexpr std::string_view kAboutServers = "sallyport/servers";

void note_gateway_failure(std::string_view chore, Error const& error) {
  log::error("the gateway does not show what changed",
             {{"chore", chore}, {"error", error.message}, {"detail", error.detail}});
}

std::vector<std::string> names_of(GatewayOptions const& options) {
  std::vector<std::string> names;
  for (auto const& server : options.servers) names.push_back(server.settings.name);
  return names;
}

}  // namespace

json::Object to_json(std::vector<ServerStatus> const& servers) {
  json::Object all;
  for (auto const& server : servers) {
    json::Object one{{"state", to_string(server.state)}, {"tools", server.tools}};
    if (!server.error.empty()) one["error"] = server.error;
    if (server.withheld > 0) one["withheld"] = server.withheld;
    all[server.name] = std::move(one);
  }
  return all;
}

Gateway::Gateway(GatewayOptions options, mcp::Registry::Builder own, pipeline::Road& road,
                 pipeline::ToolGate const& gate, EventLoops& loops, Metrics& metrics)
    : options_{std::move(options)},
      own_{std::move(own)},
      gate_{gate},
      home_{loops.executor(0)},
      parked_{ParkedErrands::Limits{}},
      tool_names_{names_of(options_), own_.tool_names()},
      prompt_names_{names_of(options_)},
      current_{std::make_shared<mcp::Registry const>()},
      search_{ToolSearch::create({.registry = [this] { return current_.get(); },
                                  .server_of =
                                      [this](std::string_view name) {
                                        auto const* const tool = current_.here().tool(name);
                                        return tool == nullptr ? "" : tool->tool.server;
                                      }})},
      changed_{home_},
      settled_{home_},
      group_{home_, note_gateway_failure},
      workers_{1, 1'000} {
  for (std::size_t i = 0; i < options_.servers.size(); ++i) {
    auto const& [settings, authorizer] = options_.servers[i];
    auto const key = approval_key(settings);
    servers_.push_back(std::make_unique<UpstreamServer>(UpstreamServer::Parts{
        .settings = settings,
        .part = tool_names_.part_of(settings.name),
        .authorizer = authorizer,
        .road = road,
        .loops = loops,
        .home = i % loops.size(),
        .parked = parked_,
        .metrics = metrics,
        .workers = workers_,
        .withhold =
            [this, key](json::Array definitions) { return withheld(key, std::move(definitions)); },
        .on_change = [this] { changed(); },
        .on_updated = [this, i](std::string const& uri) { tell_updated(i, uri); }}));
  }
  shown_.one_each.resize(servers_.size());
  shown_.last.resize(servers_.size());
}

Gateway::~Gateway() = default;

void Gateway::serve(mcp::Server& everything) {
  shown_.everything = &everything;
  everything.on_subscribe([this](std::string const& uri, std::string const& principal) {
    return subscribe(uri, principal);
  });
}

void Gateway::serve(std::string_view server, mcp::Server& only_its) {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (servers_[i]->name() != server) continue;
    shown_.one_each[i] = &only_its;
    only_its.on_subscribe([this, i](std::string const& uri, std::string const& principal) {
      return options_.original_names ? servers_[i]->subscribe(uri, principal)
                                     : subscribe(uri, principal);
    });
  }
}

void Gateway::tell_updated(std::size_t server, std::string const& uri) const {
  mcp::Event event{.kind = mcp::Event::Kind::ResourceUpdated, .subject = uri};
  if (shown_.everything != nullptr) shown_.everything->publish(event);
  if (shown_.one_each[server] == nullptr) return;
  if (options_.original_names) {
    event.subject = to_original(servers_[server]->part(), uri).value_or(uri);
  }
  shown_.one_each[server]->publish(event);
}

std::vector<Gateway::Place> Gateway::places() const {
  std::vector<Place> places;
  for (auto const& server : servers_) places.push_back({server->name(), server->part()});
  return places;
}

// What belongs to no server is nobody's to be told.
Result<mcp::Interest> Gateway::subscribe(std::string const& uri, std::string const& principal) {
  auto const part = server_of(uri);
  auto const original = part ? to_original(*part, uri) : std::nullopt;
  for (auto const& server : servers_) {
    if (original && server->part() == *part) return server->subscribe(*original, principal);
  }
  return mcp::Interest{};
}

Result<std::shared_ptr<mcp::Registry const>> Gateway::registry() const {
  auto builder = own_;
  std::size_t tools = 0;
  for (auto const& server : servers_) {
    if (auto const offer = server->offer()) tools += offer->tools.size();
  }
  // Before the entries: it must not speak of what is not shown yet.
  auto about = to_json(status());
  ShowOptions const how{.listed = tools <= options_.search_above};
  if (!how.listed) {
    for (auto& tool : search_->tools()) builder.add(std::move(tool));
  }
  for (auto const& server : servers_) {
    show_entries({*server, gate_}, {tool_names_, prompt_names_}, how, builder);
  }
  if (!servers_.empty()) builder.describe_tools({{kAboutServers, std::move(about)}});
  return builder.build();
}

Result<std::shared_ptr<mcp::Registry const>> Gateway::prepared_registry() {
  SP_TRY(auto all, registry());
  if (all->tool(kFindTools) != nullptr) search_->prepare(all);
  current_.publish(all);
  return all;
}

Result<std::shared_ptr<mcp::Registry const>> Gateway::registry_of(std::string_view name) const {
  mcp::Registry::Builder builder;
  for (auto const& server : servers_) {
    if (server->name() != name) continue;
    using Names = ShowOptions::Names;
    auto about = to_json({server->status()});
    show_entries({*server, gate_, options_.original_names}, {tool_names_, prompt_names_},
                 {.names = options_.original_names ? Names::Original : Names::Both}, builder);
    builder.describe_tools({{kAboutServers, std::move(about)}});
  }
  return builder.build();
}

void Gateway::start() {
  group_.spawn("registries", keep_registries());
  for (auto const& server : servers_) server->start();
}

void Gateway::look_again() {
  for (auto const& server : servers_) server->look_again();
}

void Gateway::changed() {
  asio::dispatch(home_, [this] {
    has_changes_ = true;
    changed_.raise();
  });
}

bool Gateway::have_all_answered() const {
  return std::ranges::none_of(servers_, [](auto const& server) {
    return server->status().state == ServerState::Connecting;
  });
}

Task<void> Gateway::settled(Deadline deadline) {
  while (!shows_all_ && !servers_.empty()) {
    if (Clock::now() >= deadline.at) break;
    (void)co_await with_deadline(deadline, settled_.wait());
  }
  co_return Result<void>{};
}

// Made by a worker: thousands of tools take longer than a loop may be kept.
Task<void> Gateway::keep_registries() {
  while (!stopping_) {
    while (!has_changes_) SP_CO_CHECK(co_await changed_.wait());
    Timer settling{home_, kSettleRegistry};
    co_await settling.async_wait(use_tuple);
    has_changes_ = false;
    bool const complete = have_all_answered();  // of what is made from here on
    auto all = co_await workers_.run([this] { return prepared_registry(); });
    if (stopping_) break;
    if (!all) {
      note_gateway_failure("registry", all.error());
      continue;
    }
    if (shown_.everything != nullptr) shown_.everything->replace_registry(std::move(*all));
    SP_CO_CHECK(co_await show_each());
    shows_all_ = complete;
    settled_.raise();
  }
  co_return Result<void>{};
}

// Those that are not as they were.
Task<void> Gateway::show_each() {
  for (std::size_t i = 0; i < servers_.size(); ++i) {
    if (shown_.one_each[i] == nullptr) continue;
    std::pair now{servers_[i]->offer(), servers_[i]->status()};
    if (now == shown_.last[i]) continue;
    auto one = co_await workers_.run([this, i] { return registry_of(servers_[i]->name()); });
    if (!one && one.error().code == Errc::Cancelled) co_return one.error();
    if (one) shown_.one_each[i]->replace_registry(std::move(*one));
    shown_.last[i] = std::move(now);
  }
  co_return Result<void>{};
}

Task<std::vector<std::string>> Gateway::withheld(std::string key, json::Array definitions) {
  if (options_.approvals == nullptr || options_.approval == ApprovalMode::Off) {
    co_return std::vector<std::string>{};
  }
  co_return co_await workers_.run(
      [this, key = std::move(key),
       definitions = std::move(definitions)]() -> Result<std::vector<std::string>> {
        SP_TRY(auto const verdicts, options_.approvals->judge(key, options_.approval, definitions));
        std::vector<std::string> names;
        for (std::size_t i = 0; i < verdicts.size(); ++i) {
          if (!verdicts[i].withheld) continue;
          auto const* const name = json::find_string(definitions[i].get_object(), "name");
          if (name != nullptr) names.emplace_back(json::view(*name));
        }
        return names;
      });
}

std::vector<ServerStatus> Gateway::status() const {
  std::vector<ServerStatus> all;
  for (auto const& server : servers_) all.push_back(server->status());
  return all;
}

void Gateway::sweep() {
  parked_.sweep(Clock::now());
  for (auto const& server : servers_) server->sweep();
}

Task<void> Gateway::stop() {
  stopping_ = true;
  group_.stop(asio::cancellation_type::terminal);
  co_await group_.join();
  // All at once: one that does not answer must not keep the others waiting.
  for (auto const& server : servers_) group_.spawn("the end of a server", server->stop());
  co_await group_.join();
  co_return Result<void>{};
}

}  // namespace sallyport::upstream
