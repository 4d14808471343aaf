#include "src/upstream/wire/http_exchange.hpp"

#include "src/base/ascii.hpp"
#include "src/base/random_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sallyport::upstream {
namespace {

// As the specification asks of clients: a server that refuses again and again is left alone.
constexpr int kAttempts = 4;
constexpr std::size_t kMaxRedirects = 3;

// Without a deadline: it would end the stream, too, which may live on after its head has come.
RequestContext own_context() {
  RequestContext about;
  about.request_id = random_id(8);
  return about;
}

std::chrono::milliseconds time_until(Deadline deadline) {
  if (deadline.at == Deadline{}.at) return std::chrono::hours{24};
  auto const left = deadline.at - Clock::now();
  return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(left),
                  std::chrono::milliseconds{1});
}

}  // namespace

std::string essence_of(http::Headers const& headers) {
  auto const* const type = headers.find("content-type");
  if (type == nullptr) return {};
  auto essence = type->substr(0, type->find(';'));
  while (essence.ends_with(' ') || essence.ends_with('\t')) essence.pop_back();
  return lowered(essence);
}

Task<std::string> read_body(pipeline::OutboundStream& stream, std::size_t limit) {
  std::string body;
  for (;;) {
    SP_CO_TRY(auto piece, co_await stream.next());
    if (!piece) co_return body;
    if (body.size() + piece->size() > limit) {
      co_return fail(Errc::LimitExceeded,
                     fmt::format("The MCP server answered with more than {} bytes.", limit));
    }
    if (body.empty()) {
      body = std::move(*piece);  // often it is all
    } else {
      body += *piece;
    }
  }
}

Task<std::unique_ptr<pipeline::OutboundStream>> HttpExchanger::open(Request const& request) {
  for (int attempt = 1;; ++attempt) {
    http::Headers credentials;
    if (authorizer_ != nullptr) {
      SP_CO_TRY(credentials, co_await authorizer_->headers_for(request.method, request.url.href(),
                                                               request.deadline));
    }
    SP_CO_TRY(auto stream, co_await open_once(request, credentials));
    auto const status = stream->head().status;
    bool const refused = authorizer_ != nullptr && (status == 401 || status == 403);
    if (!refused || attempt == kAttempts) co_return std::move(stream);
    SP_CO_TRY(auto const again, co_await authorizer_->refused(status, stream->head().headers,
                                                              credentials, request.deadline));
    if (!again) co_return std::move(stream);
    SP_CO_CHECK(co_await stream->close());
  }
}

Task<std::unique_ptr<pipeline::OutboundStream>> HttpExchanger::open_once(
    Request const& request, http::Headers const& credentials) {
  auto const own = own_context();
  pipeline::Passage passage{.request = request.about == nullptr ? &own : request.about,
                            .operation = "mcp",
                            .purpose = "upstream " + server_.name,
                            .server = server_.name};
  pipeline::OutboundRequest outbound{.method = request.method,
                                     .url = request.url.href(),
                                     .body = request.body,
                                     .max_redirects = kMaxRedirects,
                                     .request_bytes = server_.message_bytes,
                                     .response_bytes = std::size_t{1} << 40,
                                     .timeout = time_until(request.deadline),
                                     .slow_answer = true,
                                     .named_by_settings = true,
                                     .open = server_.open};
  auto& headers = outbound.headers;
  headers.add("Accept", request.accept);
  if (!request.body.empty()) headers.add("Content-Type", "application/json");
  for (auto const& field : server_.headers) headers.set(field.name, field.value);
  for (auto const& [name, value] : request.headers) headers.set(name, value);
  for (auto const& field : credentials) headers.set(field.name, field.value);
  co_return co_await road_.open(std::move(passage), std::move(outbound));
}

}  // namespace sallyport::upstream
