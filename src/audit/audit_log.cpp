#include "src/audit/audit_log.hpp"

#include "src/audit/writer.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include <utility>

namespace sallyport::audit {
namespace {

template <class Handler>
class WaiterOf final : public Waiter {
 public:
  WaiterOf(StoredRecord stored, Executor loop, Handler handler)
      : Waiter{std::move(stored), loop}, handler_{std::move(handler)}, work_{loop} {}

 private:
  void finish() override {
    auto handler = std::move(handler_);
    auto result = std::move(outcome);
    delete this;  // NOLINT(cppcoreguidelines-owning-memory): see Waiter::finish(unique_ptr)
    std::move(handler)(std::move(result));
  }

  Handler handler_;
  asio::executor_work_guard<Executor> work_;  // the loop stays until the record is written
};

class ReceiptWaits final : public Waiter {
 public:
  ReceiptWaits(StoredRecord stored, Executor loop, Receipt receipt)
      : Waiter{std::move(stored), loop}, receipt_{std::move(receipt)}, work_{loop} {}

 private:
  void finish() override {
    receipt_.settle(std::move(outcome));
    delete this;  // NOLINT(cppcoreguidelines-owning-memory): as above
  }

  Receipt receipt_;
  asio::executor_work_guard<Executor> work_;
};

class NobodyWaits final : public Waiter {
 public:
  explicit NobodyWaits(StoredRecord stored) : Waiter{std::move(stored), std::nullopt} {}

 private:
  void finish() override { delete this; }  // NOLINT(cppcoreguidelines-owning-memory): as above
};

}  // namespace

Result<std::unique_ptr<AuditLog>> AuditLog::open(AuditOptions options, Metrics& metrics) {
  SP_TRY(auto file, LogFile::open(options));
  auto writer = std::make_shared<Writer>(std::move(file), options, metrics);
  return std::unique_ptr<AuditLog>{new AuditLog{std::move(writer)}};
}

AuditLog::AuditLog(std::shared_ptr<Writer> writer) : writer_{std::move(writer)} {}

AuditLog::~AuditLog() = default;

Result<void> AuditLog::ready() const {
  return writer_->ready();
}

Error AuditLog::no_room() {
  writer_->count_unrecorded(1, "too many records wait for the audit log");
  return fail(Errc::LimitExceeded, "The call could not be recorded: too many records wait.");
}

Task<void> AuditLog::write(Record record) {
  Executor const executor = co_await asio::this_coro::executor;
  if (!writer_->has_room()) co_return no_room();
  // A cancelled call is recorded like any other.
  bool const throws = co_await asio::this_coro::throw_if_cancelled();
  co_await asio::this_coro::throw_if_cancelled(false);
  // On this loop, not in the writer: there it would hold up the records of all the others.
  auto stored = to_stored(record);
  auto const post = [](auto handler, Writer* writer, StoredRecord prepared, Executor loop) {
    using Made = WaiterOf<decltype(handler)>;
    writer->push(std::make_unique<Made>(std::move(prepared), loop, std::move(handler)));
  };
  auto outcome =
      co_await asio::async_initiate<asio::use_awaitable_t<Executor> const, void(Result<void>)>(
          post, use_async, writer_.get(), std::move(stored), executor);
  co_await asio::this_coro::throw_if_cancelled(throws);
  co_return outcome;
}

Receipt AuditLog::begin(Record record, Executor loop) {
  Receipt receipt{loop};
  if (writer_->has_room()) {
    writer_->push(std::make_unique<ReceiptWaits>(to_stored(record), loop, receipt));
  } else {
    receipt.settle(no_room());
  }
  return receipt;
}

void AuditLog::post(Record record) {
  writer_->push(std::make_unique<NobodyWaits>(to_stored(record)));
}

}  // namespace sallyport::audit
