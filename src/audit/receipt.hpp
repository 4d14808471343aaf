// A record that is on its way into the log, for who has better things to do meanwhile.
//
// Dropped, it is written all the same.
#pragma once

#include "src/base/signal.hpp"

#include <memory>
#include <optional>
#include <utility>

namespace sallyport::audit {

// Of one loop: that of its making.
class Receipt {
 public:
  explicit Receipt(Executor loop) : state_{std::make_shared<State>(loop)} {}

  // Returns once the record is as durable as configured, or fails with what the log fails with.
  // May be cancelled, which the record is not.
  Task<void> written() const {
    auto const state = state_;
    while (!state->outcome) SP_CO_CHECK(co_await state->changed.wait());
    co_return *state->outcome;
  }

  // By the log, once.
  void settle(Result<void> outcome) {
    state_->outcome = std::move(outcome);
    state_->changed.raise();
  }

 private:
  struct State {
    explicit State(Executor loop) : changed{loop} {}
    Signal changed;
    std::optional<Result<void>> outcome;
  };

  std::shared_ptr<State> state_;
};

}  // namespace sallyport::audit
