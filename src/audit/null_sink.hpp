// Takes records and forgets them: for rehearsals, where nothing is sent.
#pragma once

#include "src/audit/sink.hpp"

namespace sallyport::audit {

class NullSink final : public Sink {
 public:
  Result<void> ready() const override { return {}; }
  Task<void> write(Record) override { co_return Result<void>{}; }
  Receipt begin(Record, Executor loop) override {
    Receipt receipt{loop};
    receipt.settle({});
    return receipt;
  }
  void post(Record) override {}
};

}  // namespace sallyport::audit
