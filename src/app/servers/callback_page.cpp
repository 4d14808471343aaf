#include "src/app/servers/callback_page.hpp"

#include <fmt/format.h>

#include <utility>

namespace sallyport::app::servers {
namespace {

constexpr std::string_view kCallbackPath = "/callback";
constexpr std::chrono::milliseconds kGrace{1'000};

// SECURITY: only sentences of our own stand in the page, and it loads nothing.
http::Response page(int status, std::string_view title, std::string_view text) {
  http::Response response{.status = status, .content_type = "text/html; charset=utf-8"};
  response.headers.add("Cache-Control", "no-store");
  response.headers.add("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
  response.headers.add("Referrer-Policy", "no-referrer");
  response.headers.add("Connection", "close");
  response.body = fmt::format(
      "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{0}</title>"
      "<body style=\"font-family:sans-serif;margin:4em auto;max-width:30em\">"
      "<h1>{0}</h1><p>{1}</p></body></html>\n",
      title, text);
  return response;
}

}  // namespace

Result<std::unique_ptr<CallbackPage>> CallbackPage::create(std::uint16_t port, EventLoops& loops,
                                                           Metrics& metrics, Finish finish) {
  std::unique_ptr<CallbackPage> page{new CallbackPage{std::move(finish)}};
  auto const handler = [it = page.get()](net::Exchange& exchange) { return it->answer(exchange); };
  net::ServerOptions options{.port = port};
  options.limits.connections = 16;
  SP_TRY(page->server_, net::HttpServer::create(options, loops, metrics, handler));
  page->server_->start();
  return page;
}

std::string CallbackPage::redirect_uri() const {
  return fmt::format("http://127.0.0.1:{}{}", server_->port(), kCallbackPath);
}

Async<void> CallbackPage::answer(net::Exchange& exchange) {
  auto const& request = exchange.request();
  if (request.path != kCallbackPath || request.method != "GET") {
    auto nothing = page(404, "There is nothing here", "Sallyport waits for a sign-in to end.");
    (void)co_await exchange.respond(std::move(nothing));
    co_return;
  }
  auto outcome = outcome_ ? Result<std::string>{fail(Errc::InvalidInput, "It is over.")}
                          : co_await capture(finish_(request.query));
  if (!outcome && outcome.error().code == Errc::InvalidInput) {
    // SECURITY: whoever else comes to this port, with an answer nobody waits for, ends nothing.
    auto strange = page(400, "Not expected", "This is not the sign-in that is waited for.");
    (void)co_await exchange.respond(std::move(strange));
    co_return;
  }
  auto told = outcome ? page(200, "Signed in", "You can close this page and go back.")
                      : page(200, "Not signed in", "The terminal says why.");
  outcome_ = std::move(outcome);
  (void)co_await exchange.respond(std::move(told));
  came_->set();
}

Task<std::string> CallbackPage::wait(Deadline deadline) {
  auto const came = came_;
  switch (co_await came->wait(deadline)) {
    case Wakeup::Happened: co_return *outcome_;
    case Wakeup::DeadlinePassed: break;
    case Wakeup::Cancelled: co_return fail(Errc::Cancelled, "Interrupted.");
  }
  co_return fail(Errc::DeadlineExceeded, "Nobody signed in in time.");
}

Async<void> CallbackPage::close() {
  auto const closed = OneShotEvent::make();
  server_->stop(kGrace, [closed] { closed->set(); });
  co_await closed->wait();
}

}  // namespace sallyport::app::servers
