// `with`, and documents under it.
#include "src/rego/vm/machine.hpp"

#include <algorithm>

namespace sallyport::rego::vm {

using plan::kNone;
using plan::Replacement;

std::vector<Machine::Remembered>& Machine::remembered() {
  if (remembered_.size() <= context_.depth) remembered_.resize(context_.depth + 1);
  auto& table = remembered_[context_.depth];
  if (table.size() < program_->rules.size()) table.resize(program_->rules.size());
  return table;
}

void Machine::enter_new_context(Context& context) {
  ++context.depth;
  context.epoch = ++last_epoch_;
  context_ = context;
  remembered();
}

void Machine::push_context(plan::Code const& code, plan::WithPlan const& plan,
                           Value const* registers, Slot& slot) {
  auto* const saved = arena_.make<SavedContext>(context_, context_);
  auto& context = saved->inner;
  for (auto const& replacement : plan.replacements) {
    Value value;
    if (replacement.value >= 0) {
      value = registers[replacement.value];
    } else if (replacement.value != plan::kNothing) {
      value = code.constants[static_cast<std::uint32_t>(~replacement.value)];
    }
    switch (replacement.target) {
      case Replacement::Target::Input:
        context.input = with_path(context.input, replacement.path, value, arena_);
        break;
      case Replacement::Target::Data:
        context.overlay.value = with_path(context.overlay.value, replacement.path, value, arena_);
        context.overlay.replaced =
            arena_.make<Replaced>(replacement.path, context.overlay.replaced);
        break;
      case Replacement::Target::Function:
        context.mocks = arena_.make<Mock>(replacement.replaceable, value, replacement.builtin,
                                          replacement.rule, context.mocks);
        break;
    }
  }
  slot.pointer = saved;
  enter_new_context(context);
}

namespace {

Position const& position_of(Slot const& slot) {
  return *static_cast<Position const*>(slot.pointer);
}

}  // namespace

Position* Machine::data_root() {
  auto const& overlay = context_.overlay;
  auto* const root =
      arena_.make<Position>(Position{.node = 0, .base = program_->base, .over = overlay.value});
  if (is_replaced(overlay, *root)) {
    root->is_value = true;
    root->value = overlay.value;
  }
  return root;
}

bool Machine::data_step(Slot const& from_slot, Value key, Slot& to, bool& found) {
  auto const& from = position_of(from_slot);
  auto* const next = arena_.make<Position>();
  to.pointer = next;
  found = false;
  if (from.is_value) {
    next->is_value = true;
    next->value = get(from.value, key);
    found = next->value.is_defined();
    return true;
  }
  next->parent = &from;
  next->key = key;
  next->depth = from.depth + 1;
  next->over = get(from.over, key);
  if (is_replaced(context_.overlay, *next)) {
    next->is_value = true;
    next->value = next->over;
    found = next->value.is_defined();
    return true;
  }
  next->base = base_at(from.base, key);
  if (from.node != kNone) next->node = program_->nodes[from.node].find(key);
  if (next->node == kNone) {
    found = next->base.is_defined() || next->over.is_defined();
    return true;
  }
  auto const rule = program_->nodes[next->node].rule;
  found = true;
  if (rule == kNone) return true;
  next->is_value = true;
  if (!rule_value(rule, next->value)) return false;
  found = next->value.is_defined();
  return true;
}

bool Machine::virtual_value(Position const& position, Value& value) {
  ObjectBuilder builder{arena_};
  for (auto const& child : program_->nodes[position.node].children) {
    auto const& node = program_->nodes[child.node];
    Position const below{
        .parent = &position, .key = child.key, .depth = position.depth + 1, .node = child.node};
    if (node.hidden || is_replaced(context_.overlay, below)) continue;
    Value part;
    if (node.rule == kNone ? !virtual_value(below, part) : !rule_value(node.rule, part)) {
      return false;
    }
    if (part.is_defined()) builder.add(child.key, part);
  }
  value = builder.finish();
  return true;
}

bool Machine::data_value(Slot const& slot, Value& value) {
  auto const& position = position_of(slot);
  if (position.is_value) {
    value = position.value;
    return true;
  }
  auto const document = merge(position.over, position.base, arena_);
  if (position.node == kNone) {
    value = document;
    return true;
  }
  Value of_rules;
  if (!virtual_value(position, of_rules)) return false;
  value = merge(document, of_rules, arena_);
  return true;
}

Value Machine::data_keys(Slot const& slot) {
  auto const& position = position_of(slot);
  if (position.is_value) return keys_of(position.value, arena_);
  auto const document = merge(position.over, position.base, arena_);
  auto const own = keys_of(document, arena_);
  if (position.node == kNone) return own;
  ArrayBuilder all{arena_, own.size()};
  for (auto const key : own.items()) all.add(key);
  for (auto const& child : program_->nodes[position.node].children) {
    if (!get(document, child.key).is_defined()) all.add(child.key);
  }
  return all.finish();
}

}  // namespace sallyport::rego::vm
