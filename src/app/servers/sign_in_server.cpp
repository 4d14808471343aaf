#include "src/app/servers/sign_in_server.hpp"

#include "src/app/audit_text.hpp"
#include "src/app/servers/browser.hpp"
#include "src/app/servers/callback_page.hpp"
#include "src/app/servers/visit_server.hpp"
#include "src/http/message.hpp"
#include "src/oauth/upstream/sign_in.hpp"

#include <fmt/format.h>

#include <ostream>

namespace sallyport::app::servers {
namespace {

using oauth::upstream::GrantKind;
using oauth::upstream::SignedIn;
using oauth::upstream::SignIn;

constexpr std::chrono::seconds kBeginTimeout{30};
constexpr std::uint32_t kFirstPort = 49'152;
constexpr std::uint32_t kPorts = 16'384;

std::string signed_in_text(SignedIn const& signed_in) {
  auto text = fmt::format("Signed in to {} at {}.", signed_in.server, signed_in.issuer);
  if (!signed_in.scope.empty()) text += fmt::format(" Rights: {}.", signed_in.scope);
  if (!signed_in.lasting) {
    text += " It cannot be renewed: sign in again when it has expired.";
  }
  return text;
}

// SECURITY: whatever has another state than ours is not the answer that is waited for.
Task<std::string> finish_sign_in(SignIn& sign_in, std::string const& state, std::string query) {
  if (state.empty() || !Secret{state}.matches(http::query_value(query, "state"))) {
    co_return fail(Errc::InvalidInput, "This is not the sign-in that is waited for.");
  }
  SP_CO_TRY(auto const signed_in, co_await sign_in.finish({}, std::move(query)));
  co_return signed_in_text(signed_in);
}

class Login {
 public:
  Login(Visit& visit, config::McpServerSettings const& server, LoginRequest const& request,
        Surroundings const& surroundings)
      : visit_{visit}, server_{server}, request_{request}, surroundings_{surroundings} {}

  Task<std::string> run() {
    if (!server_.server.http) {
      co_return fail(Errc::InvalidInput,
                     fmt::format("{} is a program on this machine: nobody signs in to it.",
                                 server_.server.name));
    }
    if (server_.oauth.kind != GrantKind::AuthorizationCode) {
      co_return fail(Errc::InvalidInput,
                     fmt::format("{} gets its tokens by machine (oauth.grant): nobody signs in.",
                                 server_.server.name));
    }
    SP_CO_TRY(auto* const grants, visit_.grants());
    SignIn sign_in{visit_.token_client(server_), *grants};
    SP_CO_TRY(auto const page, listen(sign_in));
    auto outcome = co_await capture(with_browser(sign_in, *page));
    if (!outcome) outcome = give_up(sign_in, std::move(outcome).error());
    co_await page->close();
    co_return std::move(outcome);
  }

 private:
  Result<std::unique_ptr<CallbackPage>> listen(SignIn& sign_in) {
    auto const make = [&](std::uint16_t port) {
      return CallbackPage::create(port, visit_.loops(), visit_.metrics(),
                                  [this, &sign_in](std::string query) {
                                    return finish_sign_in(sign_in, state_, std::move(query));
                                  });
    };
    if (request_.port != 0) return make(request_.port);
    auto page = make(usual_port(server_.server.name));
    return page ? std::move(page) : make(0);
  }

  Error give_up(SignIn& sign_in, Error error) const {
    auto const anew = sign_in.give_up(state_);
    if (anew && *anew) {
      error.message +=
          " If the browser showed an error: sign in once more. Sallyport registers "
          "anew with the authorization server then.";
    }
    return error;
  }

  Task<std::string> with_browser(SignIn& sign_in, CallbackPage& page) {
    SP_CO_TRY(auto const start, co_await sign_in.begin(server_.oauth, page.redirect_uri(),
                                                       Deadline::in(kBeginTimeout)));
    state_ = start.state;
    auto& err = surroundings_.err;
    bool const opened = request_.open_browser && has_display(surroundings_.environment) &&
                        open_in_browser(start.authorization_url, surroundings_.environment);
    err << (opened ? "Sign in with the browser that has just opened, or open:\n"
                   : "Open this in a browser on this machine and sign in:\n");
    surroundings_.out << for_terminal(start.authorization_url) << '\n' << std::flush;
    err << "Waiting for you to come back to " << page.redirect_uri() << " … (Ctrl+C ends it)\n"
        << std::flush;
    co_return co_await page.wait(Deadline::in(request_.patience));
  }

  Visit& visit_;
  config::McpServerSettings const& server_;
  LoginRequest const& request_;
  Surroundings const& surroundings_;
  std::string state_;  // that the browser has to bring back; empty: not begun
};

int report_sign_in_failure(Error const& error, std::ostream& err) {
  err << "sallyport: " << for_terminal(error.message) << '\n';
  if (!error.detail.empty()) err << for_terminal(error.detail) << '\n';
  return kFailed;
}

}  // namespace

std::uint16_t usual_port(std::string_view server) {
  std::uint32_t hash = 2'166'136'261U;  // FNV-1a
  for (char const c : server) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  return static_cast<std::uint16_t>(kFirstPort + hash % kPorts);
}

Task<int> log_in(Visit& visit, config::McpServerSettings const& server, LoginRequest const& request,
                 Surroundings const& surroundings) {
  Login login{visit, server, request, surroundings};
  auto const said = co_await capture(login.run());
  if (said) {
    surroundings.err << for_terminal(*said) << '\n';
    co_return kDone;
  }
  if (said.error().code == Errc::Cancelled) co_return said.error();
  co_return report_sign_in_failure(said.error(), surroundings.err);
}

Task<int> log_out(Visit& visit, config::McpServerSettings const& server,
                  Surroundings const& surroundings) {
  auto grants = visit.grants();
  if (!grants) co_return report_sign_in_failure(grants.error(), surroundings.err);
  auto const held = (*grants)->grants(server.oauth);
  bool const nobody = held && held->empty();
  SignIn sign_in{visit.token_client(server), **grants};
  auto const done = co_await capture(sign_in.sign_out(server.oauth));
  if (done) {
    surroundings.err << (nobody ? "Nobody is signed in to " : "Signed out of ")
                     << server.server.name << ".\n";
    co_return kDone;
  }
  if (done.error().code == Errc::Cancelled) co_return done.error();
  surroundings.err << "The tokens are forgotten here, but may still be good there:\n";
  co_return report_sign_in_failure(done.error(), surroundings.err);
}

}  // namespace sallyport::app::servers
