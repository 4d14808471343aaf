#include "src/rego/plan/environment.hpp"

#include <algorithm>

namespace sallyport::rego::plan {
namespace {

class Finder {
 public:
  Finder(Program const& program, Replaceables& found) : program_{program}, found_{found} {}

  void body(ast::Body const& body) {
    for (auto const* expr : body) expression(*expr);
  }

  void rule(ast::Rule const& rule) {
    body(rule.body);
    if (rule.otherwise != nullptr) this->rule(*rule.otherwise);
  }

 private:
  void expression(ast::Expr const& expr) {
    for (auto const& with : expr.with) target(*with.target);
    if (expr.term != nullptr) term(*expr.term);
    if (expr.domain != nullptr) term(*expr.domain);
    body(expr.body);
    body(expr.left);
    body(expr.right);
  }

  void term(ast::Term const& term) {
    for (auto const* item : term.items) this->term(*item);
    body(term.body);
  }

  void target(ast::Term const& target) {
    if (target.kind == ast::TermKind::Var) {
      if (auto const* builtin = find_builtin(target.name)) number(found_.builtins, builtin);
      return;
    }
    if (target.items.empty() || target.items[0]->name != "data") return;
    std::vector<Value> path;
    std::uint32_t node = 0;
    for (std::size_t i = 1; i < target.items.size(); ++i) {
      path.push_back(target.items[i]->value);
      if (node != kNone) node = program_.nodes[node].find(path.back());
    }
    auto const rule = node == kNone ? kNone : program_.nodes[node].rule;
    if (rule != kNone && program_.rules[rule].kind == DocumentKind::Function) {
      number(found_.functions, rule);
    } else {
      found_.data.push_back(std::move(path));
    }
  }

  template <class Map>
  void number(Map& map, typename Map::key_type key) {
    auto const next = found_.count();
    map.emplace(key, next);
  }

  Program const& program_;
  Replaceables& found_;
};

}  // namespace

bool Replaceables::may_replace(std::span<Value const> path) const {
  return std::ranges::any_of(data, [&](auto const& target) {
    auto const common = std::min(target.size(), path.size());
    for (std::size_t i = 0; i < common; ++i) {
      if (!equal(target[i], path[i])) return false;
    }
    return true;
  });
}

std::uint32_t DocumentNode::find(Value key) const noexcept {
  auto const found = std::ranges::lower_bound(
      children, key, [](Value left, Value right) { return compare(left, right) < 0; }, &Child::key);
  return found != children.end() && equal(found->key, key) ? found->node : kNone;
}

std::uint32_t Environment::node_at(std::span<ast::Term* const> path) const {
  std::uint32_t node = 0;
  for (auto const* key : path) {
    if (key->kind != ast::TermKind::Constant) return kNone;
    node = program.nodes[node].find(key->value);
    if (node == kNone) return kNone;
  }
  return node;
}

std::uint32_t Environment::rule_at(std::span<ast::Term* const> path) const {
  auto const node = node_at(path);
  return node == kNone ? kNone : program.nodes[node].rule;
}

void add_replaceables(Checked const& checked, Program const& program, Replaceables& found) {
  Finder finder{program, found};
  for (auto const* module : checked.modules) {
    for (auto const* rule : module->rules) finder.rule(*rule);
  }
}

void add_replaceables(ast::Body const& body, Program const& program, Replaceables& found) {
  Finder{program, found}.body(body);
}

std::uint32_t arity_of(Builtin const& builtin) {
  auto const parameters = builtin.signature.substr(0, builtin.signature.find("->"));
  std::uint32_t commas = 0;
  int depth = 0;
  bool any = false;
  for (char const c : parameters) {
    if (c == '<' || c == '[' || c == '{' || c == '(') ++depth;
    if (c == '>' || c == ']' || c == '}' || c == ')') --depth;
    if (c == ',' && depth == 0) ++commas;
    any = any || c != ' ';
  }
  return any ? commas + 1 : 0;
}

}  // namespace sallyport::rego::plan
