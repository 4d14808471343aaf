#include "src/base/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace sallyport {
namespace {

template <class Named>
auto& make(std::deque<Named>& all, std::string name, std::string help, std::string labels) {
  auto const known = std::ranges::find_if(
      all, [&](Named const& each) { return each.name == name && each.labels == labels; });
  if (known != all.end()) return known->metric;
  auto& made = all.emplace_back();
  made.name = std::move(name);
  made.help = std::move(help);
  made.labels = std::move(labels);
  return made.metric;
}

// Series of one name must stand together under one header.
template <class All, class Render>
void render_family(std::string& out, All const& all, std::string_view type, Render const& render) {
  for (auto first = all.begin(); first != all.end(); ++first) {
    bool const seen = std::any_of(all.begin(), first,
                                  [&](auto const& other) { return other.name == first->name; });
    if (seen) continue;
    fmt::format_to(std::back_inserter(out), "# HELP {0} {1}\n# TYPE {0} {2}\n", first->name,
                   first->help, type);
    for (auto each = first; each != all.end(); ++each) {
      if (each->name == first->name) render(*each);
    }
  }
}

std::string braces(std::string_view labels) {
  return labels.empty() ? std::string{} : fmt::format("{{{}}}", labels);
}

}  // namespace

std::string metric_label(std::string_view name, std::string_view value) {
  auto label = fmt::format("{}=\"", name);
  for (char const c : value) {
    if (c == '\n') {
      label += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') label += '\\';
    label += c;
  }
  return label + '"';
}

void Histogram::observe(double seconds) noexcept {
  std::size_t bucket = 0;
  while (bucket < kBounds.size() && seconds > kBounds[bucket]) ++bucket;
  buckets_[bucket].fetch_add(1, std::memory_order_relaxed);
  nanoseconds_.fetch_add(static_cast<std::uint64_t>(seconds * 1e9), std::memory_order_relaxed);
}

void Histogram::render(std::string& out, std::string_view name, std::string_view labels) const {
  auto const comma = labels.empty() ? "" : ",";
  std::uint64_t sum = 0;
  for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
    sum += buckets_[bucket].load(std::memory_order_relaxed);
    auto const bound = bucket < kBounds.size() ? fmt::format("{}", kBounds[bucket]) : "+Inf";
    fmt::format_to(std::back_inserter(out), "{}_bucket{{{}{}le=\"{}\"}} {}\n", name, labels, comma,
                   bound, sum);
  }
  auto const total = static_cast<double>(nanoseconds_.load(std::memory_order_relaxed)) / 1e9;
  fmt::format_to(std::back_inserter(out), "{0}_sum{1} {2}\n{0}_count{1} {3}\n", name,
                 braces(labels), total, sum);
}

Counter& Metrics::counter(std::string name, std::string help, std::string labels) {
  return make(counters_, std::move(name), std::move(help), std::move(labels));
}

Gauge& Metrics::gauge(std::string name, std::string help, std::string labels) {
  return make(gauges_, std::move(name), std::move(help), std::move(labels));
}

Histogram& Metrics::histogram(std::string name, std::string help, std::string labels) {
  return make(histograms_, std::move(name), std::move(help), std::move(labels));
}

std::string Metrics::render() const {
  std::string out;
  auto const line = [&](auto const& each) {
    fmt::format_to(std::back_inserter(out), "{}{} {}\n", each.name, braces(each.labels),
                   each.metric.value());
  };
  render_family(out, counters_, "counter", line);
  render_family(out, gauges_, "gauge", line);
  render_family(out, histograms_, "histogram",
                [&](auto const& each) { each.metric.render(out, each.name, each.labels); });
  return out;
}

}  // namespace sallyport
