// Counters, gauges and histograms in Prometheus' text format.
//
// A metric is made once at start-up and kept by reference; adding to it is one relaxed atomic
// operation, so it may be done from any loop. Labels are fixed when the metric is made: a peer must
// not be able to make new time series.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport {

class Counter {
 public:
  void add(std::uint64_t count = 1) noexcept { value_.fetch_add(count, std::memory_order_relaxed); }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

class Gauge {
 public:
  void add(std::int64_t change) noexcept { value_.fetch_add(change, std::memory_order_relaxed); }
  void set(std::int64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
  std::int64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> value_{0};
};

// Seconds, in buckets from 100 microseconds to 100 seconds.
class Histogram {
 public:
  static constexpr std::array<double, 13> kBounds = {0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1,
                                                     0.5,    1,      5,     10,    50,   100};

  void observe(double seconds) noexcept;
  void render(std::string& out, std::string_view name, std::string_view labels) const;

 private:
  std::array<std::atomic<std::uint64_t>, kBounds.size() + 1> buckets_{};
  std::atomic<std::uint64_t> nanoseconds_{0};
};

// One label, `name="value"`, for the labels below; the value may have any characters.
std::string metric_label(std::string_view name, std::string_view value);

// Owns the metrics and renders them. Make metrics before the loops start; render from any thread.
class Metrics {
 public:
  // `labels` is the inside of the braces, e.g. `code="200"`, or empty. The same name may be made
  // with several label sets; `help` of the first one counts. The same name and labels give the same
  // metric: two series of one name would make the whole answer unreadable.
  Counter& counter(std::string name, std::string help, std::string labels = {});
  Gauge& gauge(std::string name, std::string help, std::string labels = {});
  Histogram& histogram(std::string name, std::string help, std::string labels = {});

  std::string render() const;

 private:
  template <class T>
  struct Named {
    std::string name;
    std::string help;
    std::string labels;
    T metric;
  };

  // Deques: a reference to a metric stays valid when another is made.
  std::deque<Named<Counter>> counters_;
  std::deque<Named<Gauge>> gauges_;
  std::deque<Named<Histogram>> histograms_;
};

}  // namespace sallyport
