#include "src/app/servers/visit_server.hpp"

#include "src/app/servers/sign_in_client.hpp"
#include "src/base/iso_time.hpp"
#include "src/base/log.hpp"
#include "src/http/message.hpp"
#include "src/mcp/revision.hpp"
#include "src/oauth/upstream/sign_in.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::app::servers {
namespace {

constexpr std::size_t kNamesShown = 6;
constexpr int kLooks = 10;
constexpr std::chrono::milliseconds kLookAgain{20};
constexpr std::chrono::seconds kSignInTimeout{30};

std::string info_text(json::Object const& info, std::string_view key) {
  auto const* const text = json::find_string(info, key);
  return text == nullptr ? std::string{} : std::string{json::view(*text)};
}

std::string server_text(json::Object const& info) {
  auto const version = info_text(info, "version");
  auto const name = info_text(info, "name");
  return version.empty() ? name : name + " " + version;
}

std::string tools_text(std::vector<json::Object> const& tools) {
  auto text = fmt::format("{} tool{}", tools.size(), tools.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < std::min(tools.size(), kNamesShown); ++i) {
    text += (i == 0 ? ": " : ", ") + info_text(tools[i], "name");
  }
  return tools.size() > kNamesShown ? text + ", …" : text;
}

std::string sign_in_text(oauth::upstream::AuthorizationServer const& server) {
  if (!server.assumed) return fmt::format("at {}", server.issuer);
  return fmt::format("the server does not say where; {} is assumed", server.authorization_endpoint);
}

// One sentence: what, and where a log would have it, why.
std::string reason_of(Error const& error) {
  return error.detail.empty() ? error.message : fmt::format("{} ({})", error.message, error.detail);
}

class Tester {
 public:
  Tester(Visit& visit, config::McpServerSettings const& server, Steps& steps)
      : visit_{visit}, server_{server}, steps_{steps} {
    tested_.seen.where = where_of(server.server);
    tested_.seen.tested_at = iso_time(std::chrono::system_clock::now());
  }

  Task<Tested> run() {
    auto const done = co_await capture(take_steps());
    if (!done && done.error().code == Errc::Cancelled) co_return done.error();
    if (!done) fail_with(done.error());
    if (tested_.wants_sign_in) SP_CO_CHECK(co_await look_for_sign_in());
    co_return std::move(tested_);
  }

 private:
  Task<void> take_steps() {
    if (server_.server.http) {
      SP_CO_CHECK(co_await check_address());
    } else {
      steps_.begin("program");
    }
    SP_CO_TRY(auto const link, ServerLink::create(visit_, server_));
    auto const done = co_await capture(talk(link->connection()));
    if (!done && server_.server.program) co_await hear_last_words(link->connection());
    co_await link->close();
    co_return done;
  }

  // What the program wrote before it ended may still be on its way.
  Async<void> hear_last_words(upstream::Connection const& connection) {
    Timer timer{co_await asio::this_coro::executor};
    for (int i = 0; i < kLooks && last_words_.empty(); ++i) {
      last_words_ = connection.last_words();
      timer.expires_after(kLookAgain);
      co_await timer.async_wait(use_tuple);
    }
  }

  // What the road out would do, without sending anything.
  Task<void> check_address() {
    steps_.begin("address");
    auto const& http = *server_.server.http;
    RequestContext about;
    pipeline::Passage const passage{.request = &about,
                                    .operation = "mcp",
                                    .purpose = "upstream " + server_.server.name,
                                    .server = server_.server.name};
    pipeline::OutboundRequest asked{
        .method = "POST", .url = http.url.href(), .named_by_settings = true};
    if (http.private_network) asked.open.push_back(egress::Opening::to(http.url));
    SP_CO_TRY(auto const explanation, co_await visit_.road().explain(passage, std::move(asked)));
    if (!explanation.allowed()) {
      co_return fail(Errc::EgressBlocked, explanation.steps.back().text);
    }
    auto const guard = std::ranges::find(explanation.steps, "guard", &pipeline::Step::stage);
    steps_.done(guard == explanation.steps.end() ? "may be reached" : guard->text);
    steps_.begin("session");
    co_return Result<void>{};
  }

  Task<void> talk(upstream::Connection& connection) {
    SP_CO_TRY(auto const agreed, co_await connection.connect());
    if (server_.server.program) {
      steps_.done("runs");
      steps_.begin("session");
    }
    tested_.seen.server = server_text(agreed->server_info);
    tested_.seen.revision = mcp::to_string(agreed->revision);
    steps_.done(fmt::format("{}, MCP {}", tested_.seen.server, tested_.seen.revision));
    steps_.begin("tools");
    if (json::find(agreed->capabilities, "tools") == nullptr) {
      steps_.done("none: the server has no tools");
    } else {
      SP_CO_TRY(auto listing, co_await connection.list("tools/list", "tools"));
      tested_.seen.tools = std::move(listing.entries);
      steps_.done(tools_text(tested_.seen.tools));
    }
    tested_.seen.seen_at = tested_.seen.tested_at;
    co_return Result<void>{};
  }

  // Where a sign-in cannot work, it is not all that is missing.
  Task<void> look_for_sign_in() {
    auto const grants = visit_.grants();
    if (!grants) co_return Result<void>{};
    auto const asked = (*grants)->challenge(server_.oauth);
    if (!asked || !*asked) co_return Result<void>{};
    steps_.begin("sign-in");
    oauth::upstream::SignIn sign_in{visit_.token_client(server_), **grants};
    auto const found = co_await capture(sign_in.look(server_.oauth, Deadline::in(kSignInTimeout)));
    if (!found && found.error().code == Errc::Cancelled) co_return found.error();
    tested_.wants_sign_in = found.has_value();
    if (found) {
      steps_.done(sign_in_text(found->authorization_server));
    } else {
      steps_.failed(reason_of(found.error()));
    }
    co_return Result<void>{};
  }

  void fail_with(Error const& error) {
    tested_.failure = error;
    tested_.seen.error = error.message;
    tested_.wants_sign_in = error.code == Errc::CredentialUnavailable &&
                            server_.oauth.kind == oauth::upstream::GrantKind::AuthorizationCode;
    auto mend = how_to_mend(error, server_);
    if (!last_words_.empty()) {
      mend += fmt::format("{}The program said last:\n{}", mend.empty() ? "" : "\n", last_words_);
    }
    steps_.failed(reason_of(error), mend);
  }

  Visit& visit_;
  config::McpServerSettings const& server_;
  Steps& steps_;
  Tested tested_;
  std::string last_words_;
};

}  // namespace

Result<std::unique_ptr<ServerLink>> ServerLink::create(Visit& visit,
                                                       config::McpServerSettings const& server,
                                                       mcp::client::Observer* observer) {
  std::unique_ptr<ServerLink> link{new ServerLink};
  if (needs_sign_in(server.server)) {
    SP_TRY(auto* const grants, visit.grants());
    link->authorizer_ = std::make_unique<oauth::upstream::UpstreamAuthorizer>(
        server.oauth, visit.token_client(server), *grants);
  }
  link->connection_ = std::make_unique<upstream::Connection>(
      server.server, visit.road(), link->authorizer_.get(),
      observer == nullptr ? link->deaf_ : *observer, upstream::ConnectionOptions{},
      visit.loops().executor(0));
  return link;
}

Task<Tested> test_server(Visit& visit, config::McpServerSettings const& server, Steps& steps) {
  Tester tester{visit, server, steps};
  co_return co_await tester.run();
}

std::string how_to_mend(Error const& failure, config::McpServerSettings const& server) {
  bool const over_http = server.server.http.has_value();
  switch (failure.code) {
    case Errc::EgressBlocked:
      return over_http && !server.server.http->private_network
                 ? "If it is meant to be on a private network: private_network: true (with `add`: "
                   "--private-network)."
                 : "`sallyport check URL` explains every stage; docs/egress.md says how to open "
                   "one.";
    case Errc::PolicyDenied: return "`sallyport check URL` names the rule or policy that refuses.";
    case Errc::CredentialUnavailable:
      return failure.message.find("sallyport servers login") == std::string::npos
                 ? "See `oauth` of the server (docs/gateway.md)."
                 : std::string{};
    case Errc::DeadlineExceeded: return "Is it slow? Its `timeout` is how long it may be silent.";
    case Errc::UpstreamFailed:
      return over_http ? "Is the URL that of the MCP endpoint (often …/mcp), and does it run?"
                       : "Start the command by hand; an MCP server waits for lines of JSON then.";
    case Errc::InvalidInput:
    case Errc::NotFound:
    case Errc::LimitExceeded:
    case Errc::Cancelled:
    case Errc::ClientCapabilityMissing:
    case Errc::InputRequired:
    case Errc::Internal: return {};
  }
  return {};
}

void remember(config::Settings const& settings, std::string const& name, Tested const& tested) {
  auto known = KnownServers::open(KnownServers::file_beside(settings.gateway.servers_file));
  if (tested.failure) {
    known.failed(name, tested.seen.where, tested.seen.tested_at, tested.failure->message);
  } else {
    known.passed(name, tested.seen);
  }
  if (auto const saved = known.save(); !saved) {
    log::warn("what was seen of a server cannot be kept", {{"detail", saved.error().detail}});
  }
}

}  // namespace sallyport::app::servers
