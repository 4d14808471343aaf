// What one evaluation may use. Whoever exceeds it is stopped, and a stopped evaluation is a denial.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace sallyport::rego {

struct Limits {
  std::uint64_t steps{10'000'000};
  std::chrono::nanoseconds time{std::chrono::milliseconds{500}};
  std::size_t memory{std::size_t{64} << 20};
  int depth{256};                                   // of rules and functions that call each other
  std::size_t longest_text{std::size_t{16} << 20};  // one string that a built-in makes
  std::size_t most_items{1'000'000};  // one collection that a built-in makes from numbers
};

enum class Exceeded : std::uint8_t { Nothing, Steps, Time, Memory, Depth };

class Budget {
 public:
  void start(Limits const& limits) noexcept {
    limits_ = limits;
    left_ = limits.steps;
    exceeded_ = Exceeded::Nothing;
    deadline_ = std::chrono::steady_clock::now() + limits.time;
    check_in_ = kCheckEvery;
  }

  // False once something is exceeded: the caller stops. The clock is looked at now and then.
  bool charge(std::uint64_t steps = 1) noexcept {
    if (steps > left_) return exceed(Exceeded::Steps);
    left_ -= steps;
    if (steps < check_in_) {
      check_in_ -= steps;
      return true;
    }
    check_in_ = kCheckEvery;
    return std::chrono::steady_clock::now() < deadline_ ? exceeded_ == Exceeded::Nothing
                                                        : exceed(Exceeded::Time);
  }

  bool exceed(Exceeded what) noexcept {
    if (exceeded_ == Exceeded::Nothing) exceeded_ = what;
    return false;
  }

  Exceeded exceeded() const noexcept { return exceeded_; }
  Limits const& limits() const noexcept { return limits_; }
  std::uint64_t steps_used() const noexcept { return limits_.steps - left_; }

 private:
  static constexpr std::uint64_t kCheckEvery = 1024;

  Limits limits_;
  std::uint64_t left_{0};
  std::uint64_t check_in_{kCheckEvery};
  std::chrono::steady_clock::time_point deadline_;
  Exceeded exceeded_{Exceeded::Nothing};
};

}  // namespace sallyport::rego
