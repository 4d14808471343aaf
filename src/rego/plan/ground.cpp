#include "src/rego/plan/ground.hpp"

#include "src/rego/build.hpp"

#include <vector>

namespace sallyport::rego::plan {

using ast::TermKind;

Value make_collection(TermKind kind, std::span<Value const> items, Arena& arena) {
  if (kind == TermKind::Array) {
    ArrayBuilder builder{arena, items.size()};
    for (auto const item : items) builder.add(item);
    return builder.finish();
  }
  if (kind == TermKind::Set) {
    SetBuilder builder{arena, items.size()};
    for (auto const item : items) builder.add(item);
    return builder.finish();
  }
  ObjectBuilder builder{arena, items.size() / 2};
  for (std::size_t i = 0; i < items.size(); i += 2) builder.add(items[i], items[i + 1]);
  return builder.finish();
}

Value ground_value(ast::Term const& term, Arena& arena) {
  if (term.kind == TermKind::Constant) return term.value;
  auto const is_collection =
      term.kind == TermKind::Array || term.kind == TermKind::Set || term.kind == TermKind::Object;
  if (!is_collection) return {};
  std::vector<Value> items;
  for (auto const* const item : term.items) {
    items.push_back(ground_value(*item, arena));
    if (!items.back().is_defined()) return {};
  }
  return make_collection(term.kind, items, arena);
}

}  // namespace sallyport::rego::plan
