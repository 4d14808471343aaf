#include "src/pipeline/keep_record.hpp"

#include "src/base/log.hpp"

#include <boost/asio/cancellation_state.hpp>

#include <utility>

namespace sallyport::pipeline {

Task<void> keep_record(audit::Sink& sink, audit::Record record, Keeping how) {
  auto const call_id = record.id;
  Result<void> written;
  if (how == Keeping::Waits) {
    written = co_await sink.write(std::move(record));
  } else {
    sink.post(std::move(record));
  }
  auto const state = co_await asio::this_coro::cancellation_state;
  bool const given_up = state.cancelled() != asio::cancellation_type::none;
  co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
  if (!written) {
    log::error("audit record not written; its answer is withheld",
               {{"call", call_id}, {"error", written.error().message}});
    co_return std::move(written).error();
  }
  if (given_up) co_return fail(Errc::Cancelled, "The request was cancelled.");
  co_return Result<void>{};
}

}  // namespace sallyport::pipeline
