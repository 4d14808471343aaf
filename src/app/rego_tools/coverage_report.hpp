// Which lines of the modules were evaluated, for people and as OPA's JSON.
#pragma once

#include "src/rego/rego.hpp"
#include "src/rego/trace.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sallyport::app::rego_tools {

struct CoverageReport {
  struct File {
    std::string name;
    std::vector<std::uint32_t> covered;  // rows, sorted
    std::vector<std::uint32_t> missed;
  };
  std::vector<File> files;

  // Of all lines that could be evaluated; 0 where there are none.
  double percent() const;
};

CoverageReport coverage_report(rego::Coverage const& coverage, rego::Policy const& policy);

// {"files":{"a.rego":{"covered":[{"start":{"row":1},"end":{"row":2}}],…}},"coverage":50}
std::string coverage_json(CoverageReport const& report);
// "a.rego  50.0 %  not covered: 3-4, 7", for each file, and all together.
std::string coverage_text(CoverageReport const& report);

}  // namespace sallyport::app::rego_tools
