// A parsed module. Nodes live in the arena of the compilation and point at each other freely:
// passes replace and share them, and nothing is freed before all of it is.
//
// Operators are calls of their built-ins, as in OPA: `a == b` is equal(a, b), `a = b` is eq(a, b),
// `x := 1` is assign(x, 1), `x in xs` is internal.member_2(x, xs), `k, v in xs` internal.member_3.
#pragma once

#include "src/rego/diagnostic.hpp"
#include "src/rego/value.hpp"

#include <cstdint>
#include <memory_resource>
#include <span>
#include <string_view>
#include <vector>

namespace sallyport::rego::ast {

// Grows in the arena; what it leaves behind is never freed.
template <class T>
class List {
 public:
  List() = default;
  List(std::span<T> items) : items_{items.data()}, size_{items.size()}, room_{items.size()} {}

  void push_back(Arena& arena, T item) {
    if (size_ == room_) grow(arena);
    items_[size_++] = item;
  }
  T& operator[](std::size_t index) { return items_[index]; }
  T const& operator[](std::size_t index) const { return items_[index]; }
  T& back() { return items_[size_ - 1]; }
  T const& back() const { return items_[size_ - 1]; }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  T const* begin() const { return items_; }
  T const* end() const { return items_ + size_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  void resize_down(std::size_t size) { size_ = size; }

 private:
  void grow(Arena& arena) {
    auto const bigger = arena.allocate_span<T>(room_ == 0 ? 4 : room_ * 2);
    for (std::size_t i = 0; i < size_; ++i) std::construct_at(&bigger[i], items_[i]);
    items_ = bigger.data();
    room_ = bigger.size();
  }

  T* items_{nullptr};
  std::size_t size_{0};
  std::size_t room_{0};
};

struct Term;
struct Expr;
using Terms = List<Term*>;
using Body = List<Expr*>;

enum class TermKind : std::uint8_t {
  Constant,  // value: null, boolean, number, string
  Var,       // name
  Ref,       // items[0] is the head (a var, call, collection or comprehension), the rest its path
  Call,      // items[0] is the function (a var or ref), the rest its operands
  Array,     // items
  Set,       // items
  Object,    // items: key, value, key, value, …
  ArrayOf,   // [items[0] | body]
  SetOf,     // {items[0] | body}
  ObjectOf,  // {items[0]: items[1] | body}
  // $"…": items are constant strings and terms, in order. What stood in braces has `in_brackets`. A
  // part with a `with` comes as the set comprehension {x | x = part with …}, with `raw`: it stands
  // for its only element.
  Template,
};

// One struct for all kinds: which members count, the kind says.
struct Term {
  TermKind kind{TermKind::Constant};
  bool infix{false};        // Call: written as an operator
  bool in_brackets{false};  // written in parentheses, for the formatter
  bool raw{false};          // Constant, Template: written with backticks. Call: -x for 0 - x
  Location at;
  Value value;
  // Var. Each wildcard `_` gets a name of its own from the parser: "$0", "$1", …
  // The checker puts the number of a local variable into `value`.
  std::string_view name;
  Terms items;
  Body body;
};

struct With {
  Term* target{nullptr};  // a ref (or var): input, data or a function
  Term* value{nullptr};
  Location at;
  // By the checker: the target is a function and the value names the one that stands in for it.
  bool value_is_function{false};
};

enum class ExprKind : std::uint8_t {
  Term,    // term: true unless it is false or undefined
  Some,    // `some x, y`: names only; symbols
  SomeIn,  // `some k, v in xs`: symbols holds the patterns (one or two), domain the collection
  Every,   // `every k, v in xs { … }`: symbols holds one or two vars, domain, body
  // Only negated: body. `not { … }`, and with `import future.keywords.not` also each `not x`.
  Body,
  And,  // experimental: left and right, each an operand of one or more expressions
  Or,
};

struct Expr {
  ExprKind kind{ExprKind::Term};
  bool negated{false};
  bool generated{false};       // by a pass, not by the author
  bool in_braces{false};       // Body: `not { … }` rather than `not x`
  bool left_in_braces{false};  // And, Or
  bool right_in_braces{false};
  Location at;
  Term* term{nullptr};
  Terms symbols;
  Term* domain{nullptr};
  Body body;
  Body left;
  Body right;
  List<With> with;
  bool was_assignment{false};  // by the checker: this eq() was `:=`
};

enum class RuleKind : std::uint8_t {
  Value,     // p := 1, p if …, p.q[x] := 1, f(x) := 1
  Contains,  // p contains x
};

struct Rule {
  RuleKind kind{RuleKind::Value};
  bool is_default{false};
  bool is_function{false};
  bool has_if{false};
  bool has_assign{false};   // := rather than =
  bool value_given{false};  // else it is `true`
  Location at;
  // The offset behind the head, where `if` or a brace may follow. 0: a further body of the rule
  // before, which has no head of its own.
  std::uint32_t head_end{0};
  // items[0] is a var; the rest may be any terms. A partial object `p[k] := v` has k as its last
  // part.
  Term* reference{nullptr};
  Terms parameters;
  Term* key{nullptr};  // contains
  Term* value{nullptr};
  Body body;                 // empty: `true`
  Rule* otherwise{nullptr};  // else
  struct Module const* module{nullptr};
  std::uint32_t variables{0};  // by the checker: how many local variables it has, else included
};

struct Import {
  Term* path{nullptr};
  std::string_view alias;  // may be empty
  Location at;
};

struct Comment {
  std::string_view text;  // after the #
  Location at;
};

// `# METADATA` before a package, rule or import.
struct Annotations {
  Location at;
  std::string_view scope;  // "rule", "document", "package", "subpackages"
  Value content;           // the YAML block as an object
  Rule* rule{nullptr};     // null: of the package
};

struct Module {
  std::uint32_t file{0};
  Term* package{nullptr};  // a ref: data.a.b
  List<Import> imports;
  List<Rule*> rules;
  List<Comment> comments;
  List<Annotations> annotations;
  bool v1{true};  // false: v0 syntax without `import rego.v1`
  Location at;
};

}  // namespace sallyport::rego::ast
