// What the road out would do with a request, stage by stage, and why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sallyport::pipeline {

struct Step {
  // "parse", "limits", "inject", "policy", "resolve", "guard", "robots", "send"
  std::string_view stage;
  bool passed{true};
  std::string text;  // a sentence
};

struct Explanation {
  std::vector<Step> steps;  // the last one is that which refused, or "send"
  bool allowed() const noexcept { return steps.empty() || steps.back().passed; }
};

}  // namespace sallyport::pipeline
