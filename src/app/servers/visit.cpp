#include "src/app/servers/visit.hpp"

#include "src/app/servers/grants.hpp"
#include "src/app/servers/sign_in_client.hpp"
#include "src/app/service_core.hpp"
#include "src/config/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <csignal>

namespace sallyport::app::servers {

Result<std::unique_ptr<Visit>> Visit::create(config::Settings const& settings) {
  std::unique_ptr<Visit> visit{new Visit{settings}};
  SP_TRY(visit->audit_, open_audit_log(settings.audit, visit->metrics_));
  SP_TRY(visit->road_, RoadOut::create(settings, visit->loops_, *visit->audit_, visit->metrics_));
  return visit;
}

Result<void> Visit::prepare_grants(std::ostream& err) {
  SP_TRY(grants_, open_grants(settings_.gateway, say_locked_keyring(err)));
  return {};
}

Result<oauth::upstream::GrantStore*> Visit::grants() {
  if (!grants_) {
    SP_TRY(grants_, open_grants(settings_.gateway));
  }
  return grants_.get();
}

http::Client& Visit::token_client(config::McpServerSettings const& server) {
  auto& client = token_clients_[server.server.name];
  if (!client) client = sign_in_client(road(), server.server);
  return *client;
}

int Visit::drive(Task<int> task) {
  std::signal(SIGPIPE, SIG_IGN);
  TaskGroup group{loops_.executor(0), [](std::string_view, Error const&) {}};
  TaskGroup chores{loops_.executor(0), [](std::string_view, Error const&) {}};
  signals_.add(SIGINT);
  signals_.add(SIGTERM);
  chores.spawn("signals", wait_for_signals(group));
  group.spawn("visit", finish_with(std::move(task)));
  loops_.run();
  return interrupted_ ? kInterrupted : code_;
}

Task<void> Visit::wait_for_signals(TaskGroup& group) {
  for (;;) {
    auto const [error, number] = co_await signals_.async_wait(use_tuple);
    if (error) co_return Result<void>{};
    interrupted_ = true;
    group.stop(asio::cancellation_type::terminal);
  }
}

Task<void> Visit::finish_with(Task<int> task) {
  auto const code = co_await capture(std::move(task));
  if (code) code_ = *code;
  road().stop(0);
  signals_.cancel();
  loops_.finish();
  co_return Result<void>{};
}

Result<config::McpServerSettings const*> find_server(config::Settings const& settings,
                                                     std::string_view name) {
  std::vector<std::string> names;
  for (auto const& server : settings.mcp_servers) {
    if (server.server.name == name) return &server;
    names.push_back(server.server.name);
  }
  if (names.empty()) {
    return fail(Errc::NotFound, fmt::format("There is no server {}, nor any other. `sallyport "
                                            "servers add` adds one.",
                                            name));
  }
  auto const meant = config::did_you_mean(std::string{name}, names);
  return fail(Errc::NotFound, fmt::format("There is no server {}{}. There are: {}", name, meant,
                                          fmt::join(names, ", ")));
}

std::string where_of(upstream::ServerSettings const& server) {
  if (server.program) {
    auto text = server.program->command;
    for (auto const& argument : server.program->args) text += " " + argument;
    return text;
  }
  auto const href = server.http->url.href();
  return href.substr(0, href.find('?'));
}

}  // namespace sallyport::app::servers
