// Runs a Program. One thread at a time; keeps its memory from one evaluation to the next.
#pragma once

#include "src/rego/budget.hpp"
#include "src/rego/build.hpp"
#include "src/rego/builtin.hpp"
#include "src/rego/plan/program.hpp"
#include "src/rego/rego.hpp"
#include "src/rego/trace.hpp"
#include "src/rego/vm/documents.hpp"
#include "src/rego/vm/entries.hpp"
#include "src/rego/vm/frame_stack.hpp"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace sallyport::rego::vm {

// What a function is replaced by, by a `with` that is around.
struct Mock {
  std::uint32_t replaceable{plan::kNone};
  Value value;  // undefined: one of the two below
  Builtin const* builtin{nullptr};
  std::uint32_t rule{plan::kNone};
  Mock const* next{nullptr};
};

// What an evaluation depends on. `with` makes another one; results remembered for one context are
// not seen in another.
struct Context {
  Value input;
  Overlay overlay;
  Mock const* mocks{nullptr};
  std::uint32_t depth{0};  // how many `with` are around
  std::uint64_t epoch{0};
};

// An open loop, a collection in the making, a position in documents, or a context to return to:
// which, the instruction says.
struct Slot {
  Value collection;
  std::uint32_t index{0};
  plan::Collect collect{plan::Collect::Array};
  void* pointer{nullptr};
};

struct Frame {
  Value* registers{nullptr};
  Slot* slots{nullptr};
  plan::RulePlan const* rule{nullptr};
  Value result;         // complete rules and functions
  bool emitted{false};  // by the body that runs now
  SetBuilder* members{nullptr};
  ObjectBuilder* pairs{nullptr};
  Entries* entries{nullptr};
};

class Machine {
 public:
  // Memory for the input of the next evaluation.
  Arena& arena_for_input();

  // Runs a query. What it answers is in answers(), one after the other, each as long as the plan's
  // expressions and variables together. With `only_first`, it stops at the first.
  void run(plan::Program const& program, plan::QueryPlan const& query, Value input,
           EvaluationOptions const& options, bool only_first);
  // For constant folding: nothing if it failed in any way.
  std::optional<Value> run_rule(plan::Program const& program, std::uint32_t rule,
                                Limits const& limits);

  std::span<Value const> answers() const noexcept { return answers_; }
  std::uint32_t answer_count() const noexcept { return answer_count_; }
  std::optional<Diagnostic>& error() noexcept { return error_; }
  std::optional<Diagnostic>& built_in_error() noexcept { return built_in_error_; }

 private:
  struct Remembered {
    std::uint64_t epoch{0};
    Value value;
  };
  struct RememberedCall {
    std::uint64_t epoch{0};
    std::uint64_t hash{0};
    std::uint32_t rule{plan::kNone};
    Value const* operands{nullptr};
    Value value;
  };
  // A call of a nondeterministic built-in: asked once in an evaluation.
  struct WorldCall {
    Builtin const* builtin{nullptr};
    Operands operands;
    Value value;
    WorldCall const* next{nullptr};
  };
  struct SavedContext {
    Context outer;
    Context inner;
  };

  BuiltinCall start(plan::Program const& program, Value input, EvaluationOptions const& options,
                    bool asks_the_world);

  // All return false when the evaluation has to end: error_ says why.
  bool run(plan::Code const& code, std::uint32_t at, Frame& frame);
  bool charge(std::uint64_t steps = 1);
  bool stop(Code code, std::string message, Location at);
  bool stop_exceeded(Location at);
  std::string file_of(Location at) const;
  void tell(TraceOp op, Location at, Frame const& frame);

  // rules.cpp. Undefined is a value here.
  bool rule_value(std::uint32_t number, Value& value);
  bool evaluate_rule(plan::RulePlan const& plan, Value& value);
  bool call_function(std::uint32_t number, Operands operands, Value& value);
  bool evaluate_function(plan::RulePlan const& plan, Operands operands, Value& value);
  bool run_bodies(plan::RulePlan const& plan, Frame& frame);
  bool run_body(plan::RulePlan const& plan, std::uint32_t body, Frame& frame);
  Frame make_frame(plan::FrameSize size);
  bool emit(Frame& frame, Value value, Location at);
  bool emit_entry(plan::Code const& code, plan::Instruction const& instruction, Frame& frame);
  bool enter_call(Location at);

  // calls.cpp
  bool call_builtin_site(plan::Code const& code, plan::Instruction const& instruction,
                         Value const* registers, Value& value);
  bool call_function_site(plan::Code const& code, plan::Instruction const& instruction,
                          Value const* registers, Value& value);
  bool call_builtin(Builtin const& builtin, Prepared const* prepared, Operands operands,
                    Location at, Value& value);
  bool call_world(Builtin const& builtin, Prepared const* prepared, Operands operands, Location at,
                  Value& value);
  bool call_mock(Mock const& mock, Operands operands, Location at, Value& value);
  bool builtin_failed(Builtin const& builtin, Location at);
  Mock const* mock_of(std::uint32_t replaceable) const noexcept;
  Operands gather(plan::Code const& code, plan::Instruction const& instruction,
                  Value const* registers, std::span<Value> room);

  // context.cpp
  void push_context(plan::Code const& code, plan::WithPlan const& plan, Value const* registers,
                    Slot& slot);
  void enter_new_context(Context& context);
  std::vector<Remembered>& remembered();

  Position* data_root();
  bool data_step(Slot const& from, Value key, Slot& to, bool& found);
  bool data_value(Slot const& position, Value& value);
  Value data_keys(Slot const& position);
  // What the rules below a node give: an object, also where none gives anything.
  bool virtual_value(Position const& position, Value& value);

  Arena arena_;
  bool input_is_in_arena_{false};
  Budget budget_;
  Host no_host_;
  BuiltinCall* call_{nullptr};  // while an evaluation runs
  FrameStack frames_;
  plan::Program const* program_{nullptr};
  Observer* observer_{nullptr};
  Context context_;
  std::uint64_t last_epoch_{0};
  int depth_{0};
  int deepest_{0};
  std::vector<std::vector<Remembered>> remembered_;  // by depth of `with`, then by rule
  std::vector<RememberedCall> remembered_calls_;
  WorldCall const* world_calls_{nullptr};
  std::vector<Value> answers_;
  std::uint32_t answer_count_{0};
  bool only_first_{false};
  std::optional<Diagnostic> error_;
  std::optional<Diagnostic> built_in_error_;
};

}  // namespace sallyport::rego::vm
