// What `--explain` shows: the way that an evaluation took, line by line.
#pragma once

#include "src/rego/host.hpp"
#include "src/rego/rego.hpp"
#include "src/rego/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::app::rego_tools {

// Notes: what trace() says. Fails: expressions that did not hold. Both with the rules that led
// there.
enum class Explain : std::uint8_t { Off, Notes, Fails, Full };
std::optional<Explain> explain_named(std::string_view name);

// Hears the policy and what it prints. Keeps at most kMostSteps steps, so that a policy that loops
// does not fill the memory.
class Explainer final : public rego::Observer, public rego::Host {
 public:
  static constexpr std::size_t kMostSteps = 200'000;

  explicit Explainer(Explain what) : what_{what} {}

  void event(rego::TraceEvent const& event) override;
  void trace(std::string_view text) override;
  void print(std::string_view text) override { printed_ += std::string{text} + "\n"; }

  std::string const& printed() const noexcept { return printed_; }
  // "policy.rego:4   | | Fail input.method == "GET"", …
  std::vector<std::string> lines(std::vector<rego::Source> const& sources,
                                 std::string_view query) const;

 private:
  struct Step {
    rego::TraceEvent event;
    std::string rule;  // a copy: the policy may be gone
    std::optional<std::string> note;
  };

  void keep(Step step);
  bool is_wanted(Step const& step) const;
  static std::string text_of(Step const& step, std::string_view source);

  Explain what_;
  std::vector<Step> kept_;
  // Rules that were entered and lead to where the evaluation is; shown once something below them
  // is.
  std::vector<Step> entered_;
  rego::TraceEvent last_;
  std::size_t left_out_{0};
  std::string printed_;
};

}  // namespace sallyport::app::rego_tools
