// Rules of one name must be of one kind, and none may stand where another has its value.
#include "src/rego/check/passes.hpp"

#include <algorithm>

namespace sallyport::rego::check {
namespace {

class ConflictFinder {
 public:
  explicit ConflictFinder(Context& context) : context_{context} {}

  void check(RuleTree const& node) {
    if (!node.rules.empty()) check_rules(node);
    for (auto const& [key, child] : node.children) check(child);
  }

 private:
  void check_rules(RuleTree const& node) {
    auto const& first = *node.rules.front();
    auto const name = path_of(context_, first);
    if (auto const inside = rules_inside(node); !inside.empty()) {
      std::string message = "rule " + name + " conflicts with:";
      for (auto const* const rule : inside)
        message +=
            "\n  rule " + path_of(context_, *rule) + " at row " + std::to_string(rule->at.row);
      context_.error(Code::Type, first.at, std::move(message));
    } else if (mixes_kinds(node.rules)) {
      context_.error(Code::Type, first.at, "conflicting rules " + name + " found");
    } else if (std::ranges::count_if(node.rules, &Rule::is_default) > 1) {
      report_defaults(node, name);
    } else if (node.is_package) {
      auto const ground = std::ranges::find_if(node.rules, is_ground_rule);
      if (ground != node.rules.end())
        context_.error(Code::Type, (*ground)->at,
                       "package " + name + " conflicts with rule " + name);
    }
  }

  static bool is_ground_rule(Rule const* rule) { return dynamic_part(*rule).empty(); }

  // Below a rule with a value of its own nothing may stand; below one with variables in its
  // reference no function.
  std::vector<Rule const*> rules_inside(RuleTree const& node) {
    std::vector<Rule const*> found;
    if (node.children.empty()) return found;
    auto const has_ground = std::ranges::any_of(node.rules, is_ground_rule);
    for (auto const& [key, child] : node.children) collect(child, !has_ground, found);
    return found;
  }

  void collect(RuleTree const& node, bool functions_only, std::vector<Rule const*>& found) {
    for (auto const* const rule : node.rules)
      if (!functions_only || !rule->parameters.empty()) found.push_back(rule);
    for (auto const& [key, child] : node.children) collect(child, functions_only, found);
  }

  static bool mixes_kinds(std::vector<Rule*> const& rules) {
    auto const& first = *rules.front();
    auto complete = false;
    auto partial = false;
    auto set = false;
    auto object_of_sets = false;
    for (auto const* const rule : rules) {
      if (rule->kind != first.kind || rule->parameters.size() != first.parameters.size())
        return true;
      auto const ground = is_ground_rule(rule);
      (rule->kind == RuleKind::Value && ground ? complete : partial) = true;
      if (rule->kind == RuleKind::Contains) (ground ? set : object_of_sets) = true;
    }
    return (complete && partial) || (set && object_of_sets);
  }

  void report_defaults(RuleTree const& node, std::string const& name) {
    std::string message = "multiple default rules " + name + " found at row";
    Rule const* last = nullptr;
    for (auto const* const rule : node.rules) {
      if (!rule->is_default) continue;
      message += (last == nullptr ? " " : ", ") + std::to_string(rule->at.row);
      last = rule;
    }
    context_.error(Code::Type, last->at, std::move(message));
  }

  Context& context_;
};

}  // namespace

void refuse_conflicts(Context& context) {
  ConflictFinder{context}.check(context.tree);
}

}  // namespace sallyport::rego::check
