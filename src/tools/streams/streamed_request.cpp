#include "src/tools/streams/streamed_request.hpp"

#include "src/base/ascii.hpp"
#include "src/http/chars.hpp"
#include "src/json/write.hpp"
#include "src/stream/pumps.hpp"
#include "src/tools/streams/stream_arguments.hpp"

#include <charconv>
#include <utility>

namespace sallyport::tools {
namespace {

// So long may a body that is short take to come with its head.
constexpr std::chrono::milliseconds kSoon{50};

// Of the body as it will come; nothing where that cannot be said.
std::optional<std::uint64_t> announced_length(http::Headers const& headers) {
  auto const* text = headers.find("content-length");
  if (text == nullptr || headers.find("content-encoding") != nullptr) return std::nullopt;
  std::uint64_t length = 0;
  auto const parsed = std::from_chars(text->data(), text->data() + text->size(), length);
  if (parsed.ec != std::errc{} || parsed.ptr != text->data() + text->size()) return std::nullopt;
  return length;
}

bool has_body(AppCall const& call, int status) {
  return call.request.method != "HEAD" && status != 204 && status != 205 && status != 304;
}

json::Object described(stream::Stream const& stream, std::optional<std::uint64_t> length) {
  auto about = stream_object(stream);
  if (length) about["length"] = *length;
  return about;
}

// One streamed request, step by step.
class Exchange {
 public:
  Exchange(SharedParts parts, std::shared_ptr<AppCall> call, stream::ViewKey key, Streamed when)
      : parts_{std::move(parts)}, call_{std::move(call)}, key_{std::move(key)}, when_{when} {}

  Task<mcp::ToolResult> run(pipeline::Passage const& passage) {
    SP_CO_TRY(auto known, co_await parts_->gateway->from_cache(passage, *call_));
    if (known) co_return co_await answered(std::move(*known));
    auto request = parts_->gateway->outbound(*call_);
    request.response_bytes = most_bytes(parts_->options);
    request.may_pause = true;
    SP_CO_TRY(auto source, co_await parts_->road.open(passage, std::move(request)));
    co_return co_await hand_over(std::move(source));
  }

 private:
  // An answer that is here as a whole.
  Task<mcp::ToolResult> answered(AppResponse response) {
    bool const is_bodiless = !response.http.body || !has_body(*call_, response.http.status);
    auto const size = is_bodiless ? 0 : response.http.body->size();
    bool const fits = size <= parts_->options.inline_bytes;
    if (when_ == Streamed::Maybe && fits) co_return to_result(response);
    SP_CO_TRY(auto opening, parts_->views.open(key_, co_await asio::this_coro::executor));
    auto const stream = *opening;
    pipeline::OutboundAnswer answer{.url = call_->target.url};
    if (size > 0) answer.body = *response.http.body;
    SP_CO_CHECK(parts_->views.start(
        stream, "body", stream::pump_body(stream, pipeline::stream_of(std::move(answer)))));
    SP_CO_CHECK(opening.publish());
    co_return stream_result(response, described(*stream, size));
  }

  Task<mcp::ToolResult> hand_over(std::unique_ptr<pipeline::OutboundStream> source) {
    auto const head = source->head();
    pipeline::OutboundAnswer answer{
        .url = source->url(), .redirected = source->redirected(), .head = head};
    // What is stored is the answer, however long it is; nothing follows the head.
    if (head.status == 304 && call_->plan.stored) {
      SP_CO_CHECK(co_await source->close());
      co_return co_await answered(parts_->gateway->received(*call_, std::move(answer)));
    }
    auto const length = announced_length(head.headers);
    bool const is_long =
        has_body(*call_, head.status) &&
        (is_event_stream(head.headers) || length.value_or(0) > parts_->options.inline_bytes);
    SP_CO_TRY(auto opening, parts_->views.open(key_, co_await asio::this_coro::executor));
    auto const stream = *opening;
    SP_CO_CHECK(parts_->views.start(stream, "body",
                                    within(call_, stream::pump_body(stream, std::move(source)))));
    if (when_ == Streamed::Maybe && !is_long) {
      auto const most = parts_->options.inline_bytes;
      SP_CO_CHECK(co_await stream->settled(most, Deadline::in(kSoon)));
      if (auto whole = stream->take_whole(most)) {
        answer.body = std::move(*whole);
        co_return co_await answered(parts_->gateway->received(*call_, std::move(answer)));
      }
    }
    call_->plan.may_store = false;
    auto const response = parts_->gateway->received(*call_, std::move(answer));
    SP_CO_CHECK(opening.publish());
    co_return stream_result(response, described(*stream, length));
  }

  SharedParts parts_;
  std::shared_ptr<AppCall> call_;
  stream::ViewKey key_;
  Streamed when_;
};

struct Upload {
  SharedParts parts;
  std::shared_ptr<AppCall> call;
  RequestContext about;
  pipeline::Passage passage;
  pipeline::OutboundRequest request;
};

// The answer to an upload: its head as a frame, then its body.
Task<void> pump_upload(std::shared_ptr<stream::Stream> stream, std::unique_ptr<Upload> upload) {
  upload->passage.request = &upload->about;
  SP_CO_TRY(auto source,
            co_await upload->parts->road.open(upload->passage, std::move(upload->request)));
  auto const& head = source->head();
  upload->call->plan.may_store = false;
  auto const response = upload->parts->gateway->received(
      *upload->call,
      {.url = source->url(), .redirected = source->redirected(), .head = head, .body = {}});
  auto members = json::to_text(head_members(response));
  stream->add(
      {.kind = stream::Frame::Kind::Head, .members = members.substr(1, members.size() - 2)});
  co_return co_await stream::pump_body(stream, std::move(source));
}

Result<std::optional<std::uint64_t>> upload_length(json::Object const& arguments) {
  auto const* upload = json::find_object(arguments, "upload");
  if (upload == nullptr || !upload->contains("length")) return std::optional<std::uint64_t>{};
  SP_TRY(auto const length, number_argument(*upload, "length"));
  return std::optional{length};
}

Result<void> check_upload(AppCall const& call, json::Object const& arguments) {
  if (arguments.contains("body")) {
    return fail(Errc::InvalidInput, "There is body or upload, not both.");
  }
  if (call.request.method == "GET" || call.request.method == "HEAD") {
    return fail(Errc::InvalidInput, "A request with GET or HEAD has no body to upload.");
  }
  return {};
}

}  // namespace

bool is_event_stream(http::Headers const& headers) {
  auto const* type = headers.find("content-type");
  return type != nullptr &&
         lowered(http::trimmed(type->substr(0, type->find(';')))) == "text/event-stream";
}

Task<void> within(std::shared_ptr<AppCall> call, Task<void> task) {
  auto const kept = std::move(call);
  co_return co_await std::move(task);
}

RequestContext lasting(RequestContext const& request) {
  auto copy = request;
  copy.deadline = {};
  return copy;
}

Task<mcp::ToolResult> streamed_request(SharedParts parts, Caller caller,
                                       json::Object const& arguments, Streamed when) {
  auto key = view_key(caller.request, arguments);
  auto call = parts->gateway->prepare(caller, arguments);
  // An answer that may be short needs no place, and is worth asking for.
  auto const place =
      key && when == Streamed::Always ? parts->views.check_place(*key) : Result<void>{};
  if (!key || !place || !call) {
    auto const& why = !key ? key.error() : !place ? place.error() : call.error();
    co_return co_await parts->gateway->refuse(caller, arguments, why);
  }
  auto const about = lasting(caller.request);
  auto passage = AppGateway::passage(caller, &*call, arguments);
  passage.request = &about;
  auto const shared = std::make_shared<AppCall>(std::move(*call));
  Exchange exchange{parts, shared, std::move(*key), when};
  auto result = co_await exchange.run(passage);
  if (!result) co_return AppGateway::failure(result.error(), passage);
  co_return result;
}

Task<mcp::ToolResult> upload_request(SharedParts parts, Caller caller,
                                     json::Object const& arguments) {
  auto key = view_key(caller.request, arguments);
  auto length = upload_length(arguments);
  auto call = parts->gateway->prepare(caller, arguments);
  auto const allowed = call ? check_upload(*call, arguments) : Result<void>{};
  if (!key || !length || !call || !allowed) {
    auto const& why = !key      ? key.error()
                      : !length ? length.error()
                      : !call   ? call.error()
                                : allowed.error();
    co_return co_await parts->gateway->refuse(caller, arguments, why);
  }
  auto passage = AppGateway::passage(caller, &*call, arguments);
  auto ends = egress::make_body_pipe(*length);
  auto upload = std::make_unique<Upload>(Upload{.parts = parts,
                                                .call = std::make_shared<AppCall>(std::move(*call)),
                                                .about = lasting(caller.request),
                                                .passage = passage});
  upload->request = parts->gateway->outbound(*upload->call);
  upload->request.upload = std::move(ends.pipe);
  upload->request.request_bytes = most_bytes(parts->options);
  upload->request.response_bytes = most_bytes(parts->options);
  upload->request.may_pause = true;
  auto opening = parts->views.open(*key, co_await asio::this_coro::executor);
  if (!opening) co_return failure_result(opening.error());
  auto const stream = **opening;
  stream->open_uplink(stream::Uplink::Takes::Body);
  auto started =
      parts->views.start(stream, "upload", stream::send_body(stream, std::move(ends.writer)));
  if (started) started = opening->publish();
  if (started) {
    started = parts->views.start(stream, "answer", pump_upload(stream, std::move(upload)));
  }
  if (!started) co_return failure_result(started.error());
  co_return facts_result({{"stream", stream_object(*stream, true)}, {"streamId", stream->id()}});
}

}  // namespace sallyport::tools
