// One validation: walks a value and the compiled nodes together.
//
// While all goes well it allocates nothing (but for unevaluated*, propertyNames and long lists with
// uniqueItems): the path is a chain of frames on the stack, and texts are made for the failure that
// is reported only.
#pragma once

#include "src/json/schema/node.hpp"
#include "src/json/schema/shown.hpp"
#include "src/json/value.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::json {

// The schema resources on the way to a node, innermost first: the dynamic scope.
struct ScopeStep {
  ScopeStep const* outer{nullptr};
  std::uint32_t resource{0};
};

// Which members or elements of one value a schema has looked at, by position.
using Marks = std::vector<bool>;
void add_marks(Marks const& from, Marks& to);

// What a schema is applied to.
struct Spot {
  Value const& instance;
  PathStep const* path{nullptr};
  ScopeStep const* scope{nullptr};
  Marks* marks{nullptr};  // null when no unevaluated* keyword waits for them
};

struct Failure {
  PathStep const* at{nullptr};  // only for comparison: its frame may be gone
  std::string path;
  std::string text;
};

class Evaluation {
 public:
  Evaluation(Program const& program, std::size_t steps) : program_(program), steps_left_(steps) {}

  bool passes(NodeIndex index, Spot const& spot);

  // After passes(): whether it gave up, in which case its answer means nothing.
  bool gave_up() const noexcept { return gave_up_; }
  // Of the first failure, if the answer was no.
  std::optional<Failure> const& failure() const noexcept { return failure_; }

 private:
  bool passes_with_marks(Node const& node, Spot const& spot);
  bool passes_rules(Node const& node, Spot const& spot);
  bool passes_type(Node const& node, Spot const& spot);
  bool passes_values(Node const& node, Spot const& spot);
  bool passes_group(Node const& node, Spot const& spot);

  bool passes_number(NumberRules const& rules, Spot const& spot);
  bool passes_string(StringRules const& rules, Spot const& spot);
  bool is_found(Pattern const& pattern, std::string_view text);

  bool passes_array(ArrayRules const& rules, Spot const& spot);
  bool passes_unique(Spot const& spot);
  bool passes_items(ArrayRules const& rules, Spot const& spot);
  bool passes_contains(ArrayRules const& rules, NodeIndex wanted, Spot const& spot);

  bool passes_object(ObjectRules const& rules, Spot const& spot);
  bool passes_names(NodeIndex names, Spot const& spot);
  bool passes_members(ObjectRules const& rules, Spot const& spot);
  bool passes_member(ObjectRules const& rules, Spot const& spot, std::size_t position);
  bool passes_dependencies(ObjectRules const& rules, Spot const& spot);

  bool passes_applicators(Applicators const& rules, Spot const& spot);
  bool passes_any_of(std::vector<NodeIndex> const& branches, Spot const& spot);
  bool passes_one_of(std::vector<NodeIndex> const& branches, Spot const& spot);
  bool passes_condition(Applicators const& rules, NodeIndex condition, Spot const& spot);
  bool passes_unevaluated(Node const& node, Spot const& spot);
  NodeIndex dynamic_target(DynamicReference const& reference, ScopeStep const* scope);

  // Like passes(), but a no is an answer and not a failure: nothing is reported, and marks are only
  // kept with a yes.
  bool matches(NodeIndex index, Spot const& spot);
  bool matches_quietly(NodeIndex index, Spot const& spot);
  bool refuse_alternatives(std::vector<NodeIndex> const& branches, Spot const& spot);

  // Always false. The arguments are spelled out only if somebody will read them.
  template <class... Args>
  bool refuse(Spot const& spot, fmt::format_string<decltype(shown(std::declval<Args>()))...> text,
              Args const&... args) {
    if (quiet_ == 0) report(spot.path, fmt::format(text, shown(args)...));
    return false;
  }
  void report(PathStep const* path, std::string text);
  bool spend(std::size_t steps);

  Program const& program_;
  std::size_t steps_left_;
  std::size_t depth_{0};
  std::size_t quiet_{0};
  bool describing_{false};  // the branches of an anyOf or oneOf, for its message
  bool gave_up_{false};
  std::optional<Failure> failure_;
};

}  // namespace sallyport::json
