// Where every rule hangs.
#include "src/rego/check/passes.hpp"

#include <algorithm>

namespace sallyport::rego {

RuleTree const* RuleTree::find(Value key) const {
  auto const found = children.find(key);
  return found == children.end() ? nullptr : &found->second;
}

std::span<ast::Term* const> dynamic_part(ast::Rule const& rule) {
  auto const& items = rule.reference->items;
  auto const first = std::find_if(items.begin() + 1, items.end(), [](auto const* item) {
    return item->kind != ast::TermKind::Constant;
  });
  return {first, items.end()};
}

namespace check {
namespace {

RuleTree& package_node(RuleTree& tree, ast::Module const& module) {
  auto* node = &tree;
  for (std::size_t i = 1; i < module.package->items.size(); ++i)
    node = &node->children[module.package->items[i]->value];
  node->is_package = true;
  return *node;
}

}  // namespace

void build_rule_tree(RuleTree& tree, Modules const& modules) {
  for (auto const* const module : modules) {
    auto& package = package_node(tree, *module);
    for (auto* const rule : module->rules) {
      auto const& items = rule->reference->items;
      auto* node = &package.children[Value::string(items[0]->name)];
      for (std::size_t i = 1; i < items.size() && is_scalar(*items[i]); ++i)
        node = &node->children[items[i]->value];
      node->rules.push_back(rule);
    }
  }
}

}  // namespace check
}  // namespace sallyport::rego
