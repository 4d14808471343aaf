// Writes instructions. Jumps go to labels until resolve() puts places in their stead.
#pragma once

#include "src/rego/plan/program.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sallyport::rego::plan {

using Label = std::uint32_t;

class CodeWriter {
 public:
  explicit CodeWriter(Code& code) : code_{&code} {}

  // A body starts with a fresh frame: its first registers hold the parameters.
  void start_frame(std::uint32_t parameters) {
    registers_ = parameters;
    slots_ = 0;
    grow();
  }
  FrameSize take_frame_size() { return std::exchange(largest_, {}); }

  std::uint32_t here() const { return static_cast<std::uint32_t>(code_->instructions.size()); }
  void emit(Instruction instruction) { code_->instructions.push_back(instruction); }
  void jump(Label label) { emit({.op = Op::Jump, .fail = label}); }

  Label new_label() {
    labels_.push_back(kNone);
    return static_cast<Label>(labels_.size() - 1);
  }
  void place(Label label) { labels_[label] = here(); }

  Operand new_register() {
    ++registers_;
    grow();
    return static_cast<Operand>(registers_ - 1);
  }
  Operand new_slot() {
    ++slots_;
    grow();
    return static_cast<Operand>(slots_ - 1);
  }

  Operand constant(Value value) {
    code_->constants.push_back(value);
    return ~static_cast<Operand>(code_->constants.size() - 1);
  }
  static bool is_constant(Operand operand) { return operand < 0; }
  Value constant_value(Operand operand) const {
    return code_->constants[static_cast<std::uint32_t>(~operand)];
  }

  // Returns the number of the first.
  Operand operands(std::span<Operand const> list) {
    auto const first = static_cast<Operand>(code_->operands.size());
    code_->operands.insert(code_->operands.end(), list.begin(), list.end());
    return first;
  }
  std::uint32_t site(CallSite site) {
    code_->sites.push_back(std::move(site));
    return static_cast<std::uint32_t>(code_->sites.size() - 1);
  }
  Operand with(WithPlan plan) {
    code_->withs.push_back(std::move(plan));
    return static_cast<Operand>(code_->withs.size() - 1);
  }
  Operand place_of(Location at) {
    code_->places.push_back(at);
    return static_cast<Operand>(code_->places.size() - 1);
  }

  // Of all that was written since the last time.
  void resolve() {
    for (; resolved_ < here(); ++resolved_) {
      auto& label = code_->instructions[resolved_].fail;
      if (label != kNone) label = labels_[label];
    }
    labels_.clear();
  }

 private:
  void grow() {
    largest_.registers = std::max(largest_.registers, registers_);
    largest_.slots = std::max(largest_.slots, slots_);
  }

  Code* code_;
  std::vector<std::uint32_t> labels_;
  std::uint32_t resolved_{0};
  std::uint32_t registers_{0};
  std::uint32_t slots_{0};
  FrameSize largest_;
};

}  // namespace sallyport::rego::plan
