// The chain: several policies, one answer.
//
// `all`: every source must say true. `any`: one is enough, and a source that cannot judge counts as
// "no" without hiding the others. A section without sources does not exist: what it would judge is
// left to the other evaluators.
#pragma once

#include "src/policy/chain_settings.hpp"
#include "src/policy/source.hpp"

#include <memory>
#include <string>
#include <vector>

namespace sallyport::policy {

struct Section {
  std::string name;
  ChainMode mode{ChainMode::All};
  std::vector<std::unique_ptr<Source>> sources;
};

class Chain final : public Evaluator, public ToolEvaluator {
 public:
  explicit Chain(std::vector<Section> sections) : sections_{std::move(sections)} {}

  Task<Decision> decide(Query const& query) override;
  bool judges_tools() const noexcept override { return section(kToolSection) != nullptr; }
  Task<Decision> decide(McpQuery const& query) override;

 private:
  Section const* section(std::string_view name) const noexcept;
  static Task<Decision> ask(Section const& section, Question question);
  static Task<Decision> ask_all(Section const& section, Question question);
  static Task<Decision> ask_any(Section const& section, Question question);

  std::vector<Section> sections_;
};

// Each must allow; the first that does not decides.
class Both final : public Evaluator {
 public:
  Both(Evaluator& first, Evaluator& second) : first_{first}, second_{second} {}

  Task<Decision> decide(Query const& query) override;

 private:
  Evaluator& first_;
  Evaluator& second_;
};

}  // namespace sallyport::policy
