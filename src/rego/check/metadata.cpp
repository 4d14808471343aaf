// rego.metadata.rule() and rego.metadata.chain() are what the annotations of the rule say.
#include "src/rego/build.hpp"
#include "src/rego/check/passes.hpp"
#include "src/rego/check/walk.hpp"

#include <algorithm>

namespace sallyport::rego::check {
namespace {

Term* to_term(Context& context, Value value, Location const& at) {
  auto* const term = context.make(TermKind::Constant, at);
  term->value = value;
  switch (value.kind()) {
    case Kind::Undefined:
    case Kind::Null:
    case Kind::Boolean:
    case Kind::Number:
    case Kind::String: return term;
    case Kind::Array:
    case Kind::Set:
      term->kind = value.is(Kind::Array) ? TermKind::Array : TermKind::Set;
      for (auto const item : value.items())
        term->items.push_back(context.arena, to_term(context, item, at));
      break;
    case Kind::Object:
      term->kind = TermKind::Object;
      for (auto const& entry : value.entries()) {
        term->items.push_back(context.arena, to_term(context, entry.key, at));
        term->items.push_back(context.arena, to_term(context, entry.value, at));
      }
      break;
  }
  term->value = {};
  return term;
}

bool same_path(Term const& left, Term const& right) {
  if (left.items.size() != right.items.size()) return false;
  for (std::size_t i = 1; i < left.items.size(); ++i)
    if (!equal(left.items[i]->value, right.items[i]->value)) return false;
  return true;
}

bool is_prefix(Term const& shorter, Term const& path) {
  if (shorter.items.size() > path.items.size()) return false;
  for (std::size_t i = 1; i < shorter.items.size(); ++i)
    if (!equal(shorter.items[i]->value, path.items[i]->value)) return false;
  return true;
}

bool same_document(Rule const& left, Rule const& right) {
  auto const ground_size = [](Rule const& rule) {
    return rule.reference->items.size() - dynamic_part(rule).size();
  };
  auto const size = ground_size(left);
  if (size != ground_size(right) || !same_path(*left.module->package, *right.module->package))
    return false;
  if (left.reference->items[0]->name != right.reference->items[0]->name) return false;
  for (std::size_t i = 1; i < size; ++i)
    if (!equal(left.reference->items[i]->value, right.reference->items[i]->value)) return false;
  return true;
}

class MetadataRewriter {
 public:
  MetadataRewriter(Context& context, Modules const& modules)
      : context_{context}, modules_{modules} {}

  void rewrite(Rule& rule) {
    walk_rule(rule, kGoOn, [&](Expr& expr) {
      auto const name = builtin_called(expr);
      if (name == "rego.metadata.rule") replace(expr, of_rule(rule));
      if (name == "rego.metadata.chain") replace(expr, chain_of(rule));
      return true;
    });
  }

 private:
  struct Link {
    ast::Module const* module{nullptr};
    ast::Annotations const* annotations{nullptr};
  };

  void replace(Expr& expr, Value value) {
    auto* const constant = to_term(context_, value, expr.at);
    expr.term = expr.term->items.size() == 2
                    ? context_.make_call("eq", {expr.term->items[1], constant}, expr.at)
                    : constant;
    expr.generated = true;
  }

  Value of_rule(Rule const& rule) {
    ast::Annotations const* first = nullptr;
    for (auto const& annotations : rule.module->annotations)
      if (annotations.rule == &rule && annotations.scope == "rule" &&
          (first == nullptr || annotations.at.offset < first->at.offset))
        first = &annotations;
    return first == nullptr ? ObjectBuilder{context_.arena}.finish() : content_of(*first);
  }

  Value chain_of(Rule const& rule) {
    ArrayBuilder chain{context_.arena};
    auto of_this_rule = 0;
    for (auto i = rule.module->annotations.size(); i > 0; --i) {
      auto const& annotations = rule.module->annotations[i - 1];
      if (annotations.rule != &rule || annotations.scope != "rule") continue;
      chain.add(link(rule_path(rule), &annotations));
      ++of_this_rule;
    }
    if (of_this_rule == 0) chain.add(link(rule_path(rule), nullptr));
    for (auto const& found : all("document"))
      if (found.annotations->rule != nullptr && same_document(*found.annotations->rule, rule))
        chain.add(link(rule_path(rule), found.annotations));
    auto const& package = *rule.module->package;
    for (auto const& found : all("package"))
      if (same_path(*found.module->package, package))
        chain.add(link(package_path(package), found.annotations));
    auto above = all("subpackages");
    std::erase_if(above,
                  [&](Link const& found) { return !is_prefix(*found.module->package, package); });
    std::ranges::sort(above, std::ranges::greater{},
                      [](Link const& found) { return found.module->package->items.size(); });
    for (auto const& found : above)
      chain.add(link(package_path(*found.module->package), found.annotations));
    return chain.finish();
  }

  std::vector<Link> all(std::string_view scope) const {
    std::vector<Link> found;
    for (auto const* const module : modules_)
      for (auto const& annotations : module->annotations)
        if (annotations.scope == scope) found.push_back({module, &annotations});
    return found;
  }

  Value link(Value path, ast::Annotations const* annotations) {
    ObjectBuilder object{context_.arena};
    object.add("path", path);
    if (annotations != nullptr) object.add("annotations", content_of(*annotations));
    return object.finish();
  }

  Value package_path(Term const& package) {
    ArrayBuilder path{context_.arena};
    for (std::size_t i = 1; i < package.items.size(); ++i) path.add(package.items[i]->value);
    return path.finish();
  }

  Value rule_path(Rule const& rule) {
    ArrayBuilder path{context_.arena};
    for (std::size_t i = 1; i < rule.module->package->items.size(); ++i)
      path.add(rule.module->package->items[i]->value);
    path.add(Value::string(rule.reference->items[0]->name));
    for (std::size_t i = 1; i < rule.reference->items.size() - dynamic_part(rule).size(); ++i)
      path.add(rule.reference->items[i]->value);
    return path.finish();
  }

  // The scope is always told, also where it was not written.
  Value content_of(ast::Annotations const& annotations) {
    ObjectBuilder object{context_.arena};
    if (annotations.content.is(Kind::Object))
      for (auto const& entry : annotations.content.entries()) object.add(entry.key, entry.value);
    object.add("scope", Value::string(annotations.scope));
    return object.finish();
  }

  Context& context_;
  Modules const& modules_;
};

}  // namespace

void rewrite_metadata_calls(Context& context, Modules const& modules) {
  if (!context.has_metadata_calls) return;
  MetadataRewriter rewriter{context, modules};
  for (auto* const module : modules)
    for_each_rule(*module, [&](Rule& rule) { rewriter.rewrite(rule); });
}

}  // namespace sallyport::rego::check
