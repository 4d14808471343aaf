// What the planner makes and the machine runs: a policy as instructions over registers.
//
// A body is straight code. Which variables are bound at each place is known when it is planned, so
// there is no unification left: `=` has become a move, a comparison or a taking apart. Each
// instruction that can fail says where to go on then: to the `ScanNext` of the innermost loop that
// is open at that place, or to the end of the body. So nothing has to be undone, and nothing is
// remembered but the positions of open loops. See README.md for examples.
//
// A Program is immutable once made and is shared by all threads.
#pragma once

#include "src/rego/builtin.hpp"
#include "src/rego/diagnostic.hpp"
#include "src/rego/plan/rule_index.hpp"
#include "src/rego/value.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::rego::plan {

// From 0 up: a register of the frame. Below 0: ~operand is the number of a constant.
using Operand = std::int32_t;
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};
// Where an instruction has no use for one.
inline constexpr Operand kNothing = INT32_MIN;

enum class Op : std::uint8_t {
  // Values. `a` receives.
  Move,        // a = b
  Input,       // a = input; fails where there is none
  InputPath,   // a = input at the path operands[b, b + count); fails where undefined
  InputMaybe,  // the same, but leaves undefined in a
  Defined,     // fails if a is undefined
  Get,         // a = b[c]; fails where undefined
  Element,     // a = item number c of the array b, which has one
  MakeArray,   // a = [operands[b, b + count)]
  MakeSet,
  MakeObject,  // operands: key, value, key, value, …; count is the number of operands

  // Tests.
  Equal,     // a == b
  NotEqual,  // a != b
  Less,
  LessEqual,
  Member,    // a in b
  True,      // a is not false
  IsArray,   // a is an array of `count` items
  IsObject,  // a is an object of `count` keys
  Fail,
  Jump,  // to fail

  // Loops. `a` is a slot.
  ScanBegin,  // over the collection b; fails if b is none. The ScanNext follows.
  ScanNext,   // key to b, value to c (either may be kNothing); fails after the last

  // Calls. The operands are operands[b, b + c); `a` receives; fails where undefined. kTest in
  // flags:
  // fails also where false.
  CallBuiltin,   // count: number of the site
  CallFunction,  // count: number of the site
  CallRule,      // a = value of the rule number `count`

  // Documents: base and virtual data where the path is not known, or may be replaced.
  // A slot holds a position in them.
  DataBegin,  // a: slot; at the root
  DataStep,   // a: slot; from the position of slot b to its key c; fails where there is nothing
  DataKeys,   // a = array of the keys at the position of slot b
  DataValue,  // a = all that is at the position of slot b; fails where undefined

  // Comprehensions. `a` is a slot.
  CollectBegin,  // b: a Collect
  CollectItem,   // adds b (an object: key b, value c)
  CollectEnd,    // b receives

  // `with`. `a` is a slot.
  WithPush,   // b: number of the WithPlan
  WithLeave,  // back to the context before
  WithEnter,  // again into the context that WithPush made

  // Ends of bodies.
  Emit,        // value a of a complete rule or function; a conflict is an error
  EmitMember,  // a becomes a member of the partial set
  EmitEntry,   // operands[b, b + count): keys, then the value. kMember: the value is a set's member
  Answer,      // of a query; operands[b, b + count)
  ElseGuard,   // returns if this rule has emitted
  Return,

  Note,  // instrumented only: tells the TraceOp `count` of the place b, unless a is true
};

// Of Instruction::flags.
inline constexpr std::uint8_t kTest = 1;
inline constexpr std::uint8_t kMember = 2;

enum class Collect : std::uint8_t { Array, Set, Object };

struct Instruction {
  Op op{Op::Return};
  std::uint8_t flags{0};
  std::uint32_t count{0};
  Operand a{kNothing};
  Operand b{kNothing};
  Operand c{kNothing};
  std::uint32_t fail{kNone};  // where to go on
};

// A call as it stands in the text.
struct CallSite {
  Builtin const* builtin{nullptr};
  std::uint32_t rule{kNone};  // a function or rule of the program
  std::shared_ptr<Prepared const> prepared;
  // What `with` may replace it by is looked up under this number; kNone: nobody replaces it.
  std::uint32_t replaceable{kNone};
  Location at;
};

// One `with` modifier.
struct Replacement {
  enum class Target : std::uint8_t { Input, Data, Function };
  Target target{Target::Input};
  std::vector<Value> path;           // below input or data
  std::uint32_t replaceable{kNone};  // Function
  Operand value{kNothing};           // kNothing: one of the two below
  Builtin const* builtin{nullptr};
  std::uint32_t rule{kNone};
};
struct WithPlan {
  std::vector<Replacement> replacements;
  Location at;
};

// Instructions with what they refer to by number.
struct Code {
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::vector<Value> constants;
  std::vector<CallSite> sites;
  std::vector<WithPlan> withs;
  std::vector<Location> places;  // of Note
};

// How large a frame must be.
struct FrameSize {
  std::uint32_t registers{0};
  std::uint32_t slots{0};
};

enum class DocumentKind : std::uint8_t { Complete, Function, Set, Object, NestedObject };

// All rules of one name: what a reference to it evaluates.
struct RulePlan {
  DocumentKind kind{DocumentKind::Complete};
  std::string name;  // "data.mcp.fetch.allow"
  Location at;
  std::uint32_t parameters{0};
  FrameSize frame;
  // Where the code of each body starts, in the order of the sources; an else chain is one body.
  std::vector<std::uint32_t> bodies;
  std::vector<Location> body_places;
  std::optional<RuleIndex> index;
  std::uint32_t default_body{kNone};
  // Every body gives the same constant: the first that succeeds is enough.
  bool first_is_enough{false};
  // Depends on neither input nor the world nor on anything that a `with` replaces.
  bool pure{false};
  bool planned{false};
  bool remembers_calls{false};  // functions whose result is worth keeping
  bool is_constant{false};      // evaluated at load: `value`
  Value value;                  // undefined: it is always undefined
};

// A place under `data` where rules are. Nodes below a NestedObject are part of it and have no rule.
struct DocumentNode {
  struct Child {
    Value key;
    std::uint32_t node{kNone};
  };
  std::vector<Child> children;  // sorted by key
  std::uint32_t rule{kNone};
  bool hidden{false};  // data.system

  std::uint32_t find(Value key) const noexcept;
};

struct Program {
  Code code;
  std::vector<RulePlan> rules;
  std::vector<DocumentNode> nodes;  // the first is `data`
  Value base;
  std::uint32_t replaceables{0};
  bool strict_builtin_errors{false};
  bool asks_the_world{false};  // some built-in is nondeterministic: the clock is read at the start
  std::vector<std::string> files;
};

// What a query adds to a program.
struct QueryPlan {
  Code code;
  FrameSize frame;
  bool asks_the_world{false};
  // Of the operands of Answer: first the expressions, then the variables.
  std::uint32_t expressions{0};
  std::vector<std::string> variables;
};

}  // namespace sallyport::rego::plan
