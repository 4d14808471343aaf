#include "src/pipeline/road_client.hpp"

#include "src/base/random_id.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <fmt/format.h>

#include <utility>
#include <variant>
#include <vector>

namespace sallyport::pipeline {
namespace {

// None for a URL that cannot be read; the road says what is wrong with it.
std::vector<egress::Opening> opening_for(std::string const& text) {
  auto const url = url::Url::parse(text);
  if (!url || !url->host()) return {};
  auto opening = egress::Opening::parse(fmt::format("{}:{}", *url->host(), url->effective_port()));
  if (!opening) return {};
  return {std::move(*opening)};
}

}  // namespace

Task<http::Response> RoadClient::send(http::ClientRequest request) {
  using asio::experimental::awaitable_operators::operator||;
  auto const stopped = stopped_;
  auto first = co_await (capture(send_on_road(std::move(request))) || stopped->wait());
  if (first.index() == 0) co_return std::get<0>(std::move(first));
  co_return fail(Errc::Cancelled, "The request was cancelled.");
}

Task<http::Response> RoadClient::send_on_road(http::ClientRequest request) {
  RequestContext about;
  about.request_id = random_id(8);
  about.deadline = request.deadline;
  Passage const passage{.request = &about, .operation = purpose_, .purpose = purpose_};
  std::vector<egress::Opening> open;
  if (hosts_ == PrivateHosts::Open) open = opening_for(request.url);
  OutboundRequest outbound{.method = std::move(request.method),
                           .url = std::move(request.url),
                           .headers = std::move(request.headers),
                           .body = std::move(request.body),
                           .redirects = Redirects::Manual,  // as the port has it
                           .response_bytes = request.max_response_bytes,
                           .inject = inject_,
                           .named_by_settings = true,
                           .open = std::move(open)};
  SP_CO_TRY(auto answer, co_await road_.send(passage, std::move(outbound)));
  http::Response response{.status = answer.head.status,
                          .headers = std::move(answer.head.headers),
                          .body = std::move(answer.body)};
  if (auto const* type = response.headers.find("content-type")) response.content_type = *type;
  co_return response;
}

}  // namespace sallyport::pipeline
