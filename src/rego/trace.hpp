// What an instrumented policy tells while it is evaluated: for `policy test --coverage` and
// `--explain`. Only policies compiled with CompileOptions::instrument tell anything.
#pragma once

#include "src/rego/diagnostic.hpp"

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::rego {

class Policy;

enum class TraceOp : std::uint8_t {
  Enter,  // a body of a rule is tried
  Eval,   // an expression is evaluated
  Fail,   // an expression is false or undefined
  Redo,   // an expression or rule is asked for another answer
  Exit,   // a body of a rule has given a value
};

std::string_view name_of(TraceOp op) noexcept;

struct TraceEvent {
  TraceOp op{TraceOp::Eval};
  Location at;
  int depth{0};           // of rules that call each other
  std::string_view rule;  // "data.mcp.fetch.allow"; empty in the query itself
};

class Observer {
 public:
  virtual ~Observer() = default;
  virtual void event(TraceEvent const& event) = 0;
};

// Which lines of the sources were evaluated, over any number of evaluations.
class Coverage final : public Observer {
 public:
  using Line = std::pair<std::uint32_t, std::uint32_t>;  // file, row

  void event(TraceEvent const& event) override;
  std::set<Line> const& covered() const noexcept { return covered_; }
  // Lines that could be covered and are not.
  std::vector<Line> missed(Policy const& policy) const;

 private:
  std::set<Line> covered_;
};

}  // namespace sallyport::rego
