#include "src/app/rego_tools/coverage_report.hpp"

#include "src/app/rego_tools/text.hpp"
#include "src/rego/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace sallyport::app::rego_tools {
namespace {

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

std::vector<Range> ranges_of(std::span<std::uint32_t const> rows) {
  std::vector<Range> ranges;
  for (auto const row : rows) {
    if (!ranges.empty() && ranges.back().last + 1 == row) {
      ranges.back().last = row;
    } else {
      ranges.push_back({row, row});
    }
  }
  return ranges;
}

double percent_of(std::size_t covered, std::size_t missed) {
  if (covered + missed == 0) return 0;
  auto const share = static_cast<double>(covered) / static_cast<double>(covered + missed);
  return std::round(share * 10'000) / 100;
}

std::string ranges_json(std::span<std::uint32_t const> rows) {
  std::string list;
  for (auto const& [first, last] : ranges_of(rows)) {
    list += fmt::format(R"({}{{"start":{{"row":{}}},"end":{{"row":{}}}}})", list.empty() ? "" : ",",
                        first, last);
  }
  return "[" + list + "]";
}

std::string counts_json(std::size_t covered, std::size_t missed) {
  return fmt::format(R"("covered_lines":{},"not_covered_lines":{},"coverage":{})", covered, missed,
                     percent_of(covered, missed));
}

std::string file_json(CoverageReport::File const& file) {
  std::string members;
  if (!file.covered.empty()) members += "\"covered\":" + ranges_json(file.covered) + ",";
  if (!file.missed.empty()) members += "\"not_covered\":" + ranges_json(file.missed) + ",";
  return "{" + members + counts_json(file.covered.size(), file.missed.size()) + "}";
}

struct Totals {
  std::size_t covered{0};
  std::size_t missed{0};
};

Totals totals_of(CoverageReport const& report) {
  Totals totals;
  for (auto const& file : report.files) {
    totals.covered += file.covered.size();
    totals.missed += file.missed.size();
  }
  return totals;
}

}  // namespace

double CoverageReport::percent() const {
  auto const totals = totals_of(*this);
  return percent_of(totals.covered, totals.missed);
}

CoverageReport coverage_report(rego::Coverage const& coverage, rego::Policy const& policy) {
  CoverageReport report;
  for (auto const& source : policy.sources()) report.files.push_back({.name = source.name});
  for (auto const& [file, row] : coverage.covered()) report.files[file].covered.push_back(row);
  for (auto const& [file, row] : coverage.missed(policy)) {
    report.files[file].missed.push_back(row);
  }
  return report;
}

std::string coverage_json(CoverageReport const& report) {
  std::string files;
  for (auto const& file : report.files) {
    files += (files.empty() ? "" : ",") + json_string(file.name) + ":" + file_json(file);
  }
  auto const totals = totals_of(report);
  return fmt::format("{{\"files\":{{{}}},{}}}", files, counts_json(totals.covered, totals.missed));
}

std::string coverage_text(CoverageReport const& report) {
  std::size_t widest = 5;
  for (auto const& file : report.files) widest = std::max(widest, file.name.size());
  std::string text;
  for (auto const& file : report.files) {
    text += fmt::format("{:<{}}  {:>5.1f} %", file.name, widest,
                        percent_of(file.covered.size(), file.missed.size()));
    bool first = true;
    for (auto const& [from, to] : ranges_of(file.missed)) {
      text += first ? "  not covered: " : ", ";
      text += from == to ? fmt::format("{}", from) : fmt::format("{}-{}", from, to);
      first = false;
    }
    text += '\n';
  }
  return text + fmt::format("{:<{}}  {:>5.1f} %\n", "all", widest, report.percent());
}

}  // namespace sallyport::app::rego_tools
