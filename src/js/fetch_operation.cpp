// fetch(): a request, its body, and its answer, piece by piece.
#include "src/base/task_group.hpp"
#include "src/js/operations.hpp"
#include "src/js/payload.hpp"

#include <utility>

namespace sallyport::js {
namespace {

bool flag_in(json::Object const& asked, std::string_view member) {
  auto const* const value = json::find(asked, member);
  return value != nullptr && value->is_bool() && value->get_bool();
}

Result<http::Headers> headers_in(json::Object const& asked) {
  http::Headers headers;
  auto const* const list = json::find_array(asked, "headers");
  if (list == nullptr) return headers;
  for (auto const& entry : *list) {
    auto const* const pair = entry.if_array();
    bool const good =
        pair != nullptr && pair->size() == 2 && (*pair)[0].is_string() && (*pair)[1].is_string();
    if (!good) return fail(Errc::InvalidInput, "Headers are pairs of a name and a value.");
    headers.add(std::string{json::view((*pair)[0].get_string())},
                std::string{json::view((*pair)[1].get_string())});
  }
  return headers;
}

json::Array pairs_of(http::Headers const& headers) {
  json::Array list;
  for (auto const& field : headers) list.push_back(json::Array{field.name, field.value});
  return list;
}

class FetchOperation final : public ScriptCall {
 public:
  FetchOperation(std::uint32_t id, FetchCall call, CallShare& share, Executor executor)
      : ScriptCall{id, share, executor},
        call_{std::move(call)},
        upload_{executor, [](std::string_view, Error const&) {}} {}

 private:
  Task<void> perform() override {
    auto const fetch = share().world.fetch(call_);
    if (call_.has_body) upload_.spawn("the body of a request", send_body(*fetch));
    auto const done = co_await capture(relay(*fetch));
    upload_.stop(asio::cancellation_type::terminal);
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    co_await upload_.join();
    co_return done;
  }

  // A failure reaches the script through the answer, which does not come then.
  Task<void> send_body(Fetch& fetch) {
    auto sent = co_await capture(send_pieces(fetch));
    if (!sent) fetch.fail(std::move(sent).error());
    co_return Result<void>{};
  }

  Task<void> send_pieces(Fetch& fetch) {
    while (true) {
      SP_CO_TRY(auto piece, co_await next_piece());
      if (piece.last && piece.bytes.empty()) co_return fetch.finish();
      if (piece.last) {
        co_return fail(Errc::Cancelled, "The script ended the body of its request with an error.");
      }
      SP_CO_CHECK(co_await fetch.write(std::move(piece.bytes)));
    }
  }

  Task<void> relay(Fetch& fetch) {
    SP_CO_TRY(auto const came, co_await fetch.answer());
    answer(json::Object{{"status", came->status()},
                        {"reason", came->reason()},
                        {"headers", pairs_of(came->headers())},
                        {"url", came->url()},
                        {"redirected", came->redirected()}});
    while (true) {
      SP_CO_TRY(auto const piece, co_await came->next());
      if (!piece) break;
      SP_CO_CHECK(co_await send_piece(*piece));
    }
    send_end();
    co_return Result<void>{};
  }

  FetchCall call_;
  TaskGroup upload_;
};

}  // namespace

Result<std::unique_ptr<ScriptCall>> make_fetch(std::uint32_t id, json::Object const& asked,
                                               CallShare& share, Executor executor) {
  FetchCall call{.method = text_in(asked, "method"), .url = text_in(asked, "url")};
  SP_TRY(call.headers, headers_in(asked));
  call.redirect = text_in(asked, "redirect");
  call.has_body = flag_in(asked, "body");
  auto const* const length = json::find(asked, "length");
  if (length != nullptr && length->is_int64() && length->get_int64() >= 0) {
    call.body_bytes = static_cast<std::uint64_t>(length->get_int64());
  }
  return std::make_unique<FetchOperation>(id, std::move(call), share, executor);
}

}  // namespace sallyport::js
