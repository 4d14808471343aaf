#include "src/pipeline/robots_fetch.hpp"

#include "src/policy/evaluator.hpp"

#include <utility>

namespace sallyport::pipeline {
namespace {

// RFC 9309, section 2.5: at least 500 KiB are read; what follows is ignored.
constexpr std::size_t kReadBytes = 512UL * 1024;
constexpr std::chrono::seconds kTimeout{10};
// Section 2.3.1.2: at least five redirects are followed; with more, the file counts as absent.
constexpr std::size_t kRedirects = 5;
constexpr int kTooManyRedirects = 310;

}  // namespace

Task<RobotsAnswer> fetch_robots(Road& road, Passage const& on_behalf,
                                OutboundRequest const& request, std::string_view user_agent,
                                url::Url robots_url) {
  Passage const passage{.request = on_behalf.request,
                        .operation = on_behalf.operation,
                        .purpose = std::string{policy::kRobotsPurpose},
                        .tool = on_behalf.tool,
                        .server = on_behalf.server};
  OutboundRequest robots{.url = robots_url.href(),
                         .max_redirects = kRedirects,
                         .schemes = request.schemes,
                         .response_bytes = kReadBytes,
                         .timeout = kTimeout,
                         .cut_long_body = true,
                         // SECURITY: the file is for everybody. Credentials are for the page.
                         .inject = false,
                         .open = request.open};
  if (!user_agent.empty()) robots.headers.add("User-Agent", std::string{user_agent});
  auto answer = co_await road.send(passage, std::move(robots));
  if (!answer) {
    if (answer.error().code == Errc::LimitExceeded) {
      co_return RobotsAnswer{.status = kTooManyRedirects};
    }
    co_return std::move(answer).error();
  }
  auto const* cache_control = answer->head.headers.find("cache-control");
  co_return RobotsAnswer{
      .status = answer->head.status,
      .body = std::move(answer->body),
      .cache_control = cache_control == nullptr ? std::string{} : *cache_control};
}

}  // namespace sallyport::pipeline
