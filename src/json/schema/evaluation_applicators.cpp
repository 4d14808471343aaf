// References and the combinations of schemas, with the messages for those that offer a choice.
#include "src/json/schema/evaluation.hpp"

#include <algorithm>

namespace sallyport::json {

bool Evaluation::passes_applicators(Applicators const& rules, Spot const& spot) {
  for (auto const node : rules.all_of) {
    if (!passes(node, spot)) return false;
  }
  for (auto const& reference : rules.dynamic_references) {
    if (!passes(dynamic_target(reference, spot.scope), spot)) return false;
  }
  if (!rules.any_of.empty() && !passes_any_of(rules.any_of, spot)) return false;
  if (!rules.one_of.empty() && !passes_one_of(rules.one_of, spot)) return false;
  if (rules.negated) {
    Spot const unmarked{spot.instance, spot.path, spot.scope};
    if (matches_quietly(*rules.negated, unmarked)) {
      return refuse(spot, "must not match the schema under \"not\"");
    }
  }
  return !rules.condition || passes_condition(rules, *rules.condition, spot);
}

bool Evaluation::matches_quietly(NodeIndex index, Spot const& spot) {
  ++quiet_;
  bool const passed = passes(index, spot);
  --quiet_;
  return passed;
}

bool Evaluation::matches(NodeIndex index, Spot const& spot) {
  if (spot.marks == nullptr) return matches_quietly(index, spot);
  if (!spend(spot.marks->size() / 16)) return false;
  Marks seen(spot.marks->size());
  if (!matches_quietly(index, {spot.instance, spot.path, spot.scope, &seen})) return false;
  add_marks(seen, *spot.marks);
  return true;
}

bool Evaluation::passes_any_of(std::vector<NodeIndex> const& branches, Spot const& spot) {
  bool matched = false;
  for (auto const branch : branches) {
    matched = matches(branch, spot) || matched;
    if (gave_up_) return false;
    if (matched && spot.marks == nullptr) return true;  // marks are wanted from every branch
  }
  return matched || refuse_alternatives(branches, spot);
}

bool Evaluation::passes_one_of(std::vector<NodeIndex> const& branches, Spot const& spot) {
  std::optional<std::size_t> matched;
  for (std::size_t at = 0; at < branches.size(); ++at) {
    if (!matches(branches[at], spot)) continue;
    if (matched) {
      return refuse(spot, "must match exactly one of {} alternatives, but matches number {} and {}",
                    branches.size(), *matched + 1, at + 1);
    }
    matched = at;
  }
  return matched || refuse_alternatives(branches, spot);
}

bool Evaluation::passes_condition(Applicators const& rules, NodeIndex condition, Spot const& spot) {
  return passes(matches(condition, spot) ? rules.consequence : rules.alternative, spot);
}

// Runs the branches again, aloud, to say what each of them misses. A choice within a branch is only
// named: describing those too would take time exponential in their depth.
bool Evaluation::refuse_alternatives(std::vector<NodeIndex> const& branches, Spot const& spot) {
  if (quiet_ > 0 || gave_up_) return false;
  constexpr std::size_t kDescribed = 4;
  if (describing_ || branches.size() > 4 * kDescribed) {
    return refuse(spot, "must match one of {} alternatives", branches.size());
  }
  describing_ = true;
  std::vector<Failure> failures;
  for (auto const branch : branches) {
    failure_.reset();
    passes(branch, {spot.instance, spot.path, spot.scope});
    if (failure_) failures.push_back(std::move(*failure_));
  }
  describing_ = false;
  failure_.reset();

  // If only one branch got further than the value itself, it is the one that was meant.
  auto const is_deeper = [&spot](Failure const& failure) { return failure.at != spot.path; };
  if (std::count_if(failures.begin(), failures.end(), is_deeper) == 1) {
    failure_ = *std::find_if(failures.begin(), failures.end(), is_deeper);
    return false;
  }
  std::vector<std::string> texts;
  for (auto const& failure : failures) {
    auto text = is_deeper(failure) ? failure.path + " " + failure.text : failure.text;
    if (std::find(texts.begin(), texts.end(), text) == texts.end())
      texts.push_back(std::move(text));
  }
  if (texts.size() > kDescribed) {
    return refuse(spot, "must match one of {} alternatives", branches.size());
  }
  report(spot.path, fmt::format("{}", fmt::join(texts, ", or ")));
  return false;
}

NodeIndex Evaluation::dynamic_target(DynamicReference const& reference, ScopeStep const* scope) {
  auto target = reference.node;
  for (; scope != nullptr; scope = scope->outer) {  // the outermost one counts: the last found
    auto const& anchors = program_.anchors[scope->resource];
    if (!spend(1 + anchors.size() / 8)) return target;
    for (auto const& [anchor, node] : anchors) {
      if (anchor == reference.anchor) target = node;
    }
  }
  return target;
}

}  // namespace sallyport::json
