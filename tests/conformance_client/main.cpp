// conformance_client URL: plays the scenario that the environment names.
#include "src/app/road_out.hpp"
#include "src/audit/null_sink.hpp"
#include "src/base/random_id.hpp"
#include "src/json/parse.hpp"
#include "src/pipeline/road_client.hpp"
#include "src/store/aead_sealer.hpp"
#include "src/upstream/wire/http_wire.hpp"

#include "tests/conformance_client/obliging_listener.hpp"
#include "tests/conformance_client/obliging_sign_in.hpp"
#include "tests/conformance_client/scenarios.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

namespace sallyport::conformance {
namespace {

std::string variable(char const* name) {
  auto const* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? std::string{} : std::string{value};
}

Scenario scenario_of_environment() {
  auto const context = json::parse(variable("MCP_CONFORMANCE_CONTEXT"));
  return {.name = variable("MCP_CONFORMANCE_SCENARIO"),
          .context = context && context->is_object() ? context->get_object() : json::Object{}};
}

class Ear final : public mcp::client::Observer {
 public:
  explicit Ear(Executor executor) : opened_{executor} {}

  void listening() override {
    open_ = true;
    opened_.raise();
  }
  void heard(mcp::NotificationMessage const&) override {}
  Task<void> wait_until_open() {
    while (!open_) SP_CO_CHECK(co_await opened_.wait());
    co_return Result<void>{};
  }

 private:
  bool open_{false};
  Signal opened_;
};

config::Settings settings() {
  config::Settings made;
  made.audit.enabled = false;
  return made;
}

// The suites' servers are on this machine.
egress::Opening opening_of(url::Url const& url) {
  return *egress::Opening::parse(fmt::format("{}:{}", *url.host(), url.effective_port()));
}

class Run {
 public:
  explicit Run(url::Url url) : url_{std::move(url)} {}
  Run(Run const&) = delete;
  Run& operator=(Run const&) = delete;
  ~Run() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  int operator()() {
    auto road = app::RoadOut::create(settings(), loops_, sink_, metrics_);
    if (!road) return report(road.error());
    group_.spawn("scenario", work((*road)->road()));
    loops_.run();
    return code_;
  }

 private:
  Task<void> work(pipeline::EgressRoad& road) {
    auto const scenario = scenario_of_environment();
    pipeline::RoadClient oauth_client{road, "oauth", false};
    auto const store = oauth::upstream::GrantStore::open(
        folder_ / "grants.db",
        std::make_unique<store::AeadSealer const>(store::SealingKey::random()));
    if (!store) co_return finish(road, report(store.error()));
    ObligingSignIn sign_in{server_settings(scenario, url_.href()), oauth_client, **store};
    upstream::HttpWire wire{
        {.name = "suite", .url = url_, .open = {opening_of(url_)}}, road, &sign_in};
    Ear ear{co_await asio::this_coro::executor};
    mcp::client::Client client{
        wire, ear, {.capabilities = capabilities()}, co_await asio::this_coro::executor};
    auto const played = co_await capture(play_and_hear(client, ear, scenario));
    (void)co_await client.close();
    co_await wire.close();
    co_return finish(road, played ? 0 : report(played.error()));
  }

  Result<void> finish(pipeline::EgressRoad& road, int code) {
    code_ = code;
    road.stop(0);
    loops_.finish();
    return {};
  }

  // Older servers may ask their questions outside of the request.
  static Task<void> play_and_hear(mcp::client::Client& client, Ear& ear, Scenario const& scenario) {
    using asio::experimental::awaitable_operators::operator||;
    SP_CO_CHECK(co_await client.connect());
    auto first = co_await (capture(play_after(ear, client, scenario)) || hear(client, ear));
    co_return std::get<0>(std::move(first));
  }
  static Task<void> play_after(Ear& ear, mcp::client::Client& client, Scenario const& scenario) {
    SP_CO_CHECK(co_await ear.wait_until_open());
    co_return co_await play(client, scenario);
  }
  static Async<void> hear(mcp::client::Client& client, Ear& ear) {
    auto const heard = co_await capture(client.listen({}));
    if (!heard && heard.error().code == Errc::Cancelled) co_return;
    ear.listening();  // it says nothing by itself
    Timer for_ever{co_await asio::this_coro::executor, Timer::time_point::max()};
    co_await for_ever.async_wait(use_async);
  }

  static int report(Error const& error) {
    std::cerr << "conformance_client: " << error.message << ' ' << error.detail << '\n';
    return 1;
  }

  url::Url url_;
  std::filesystem::path folder_{std::filesystem::temp_directory_path() /
                                ("conformance-client-" + random_id(8))};
  Metrics metrics_;
  audit::NullSink sink_;
  EventLoops loops_{1};
  TaskGroup group_{loops_.executor(0), [](std::string_view, Error const&) {}};
  int code_{1};
};

}  // namespace
}  // namespace sallyport::conformance

int main(int argc, char** argv) {
  auto const url = argc == 2 ? sallyport::url::Url::parse(argv[1])
                             : sallyport::fail(sallyport::Errc::InvalidInput, "");
  if (!url) {
    std::cerr << "Usage: conformance_client URL\n";
    return 2;
  }
  return sallyport::conformance::Run{*url}();
}
