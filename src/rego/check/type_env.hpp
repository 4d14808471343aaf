// What is known about the types of rules and, within one rule, of its variables.
#pragma once

#include "src/rego/check/context.hpp"
#include "src/rego/type.hpp"

#include <map>
#include <span>
#include <unordered_map>
#include <vector>

namespace sallyport::rego {

// The types of rules along their paths below `data`.
struct TypeTree {
  std::map<Value, TypeTree, RuleTree::ByValue> children;
  Type const* type{nullptr};  // null: nothing is known, or only of what is below

  TypeTree const* find(Value key) const;
  // Of the document that stands here.
  Type const* extent(Arena& arena) const;
  // Adds what one more rule may give; `path` are constants.
  void insert(std::span<Value const> path, Type const* added, Arena& arena);
  void replace(std::span<Value const> path, Type const* type);
};

struct RuleTypes {
  Arena arena;
  TypeTree data;
};

namespace check {

class TypeEnv {
 public:
  TypeEnv(TypeTree const& data, Arena& arena) : data_{data}, arena_{arena} {}

  void start(std::size_t variables);
  // Null: not known.
  Type const* of_var(Term const& var) const;
  void set(Term const& var, Type const* type);
  // What is learnt about variables from here on, `forget` undoes.
  std::size_t learnt() const { return learnt_.size(); }
  void forget(std::size_t since);
  Type const* of(Term const& term);
  Type const* of_ref(Term const& ref);
  Type const* of_function(Term const& function);

  // Of comprehensions, once their bodies are checked.
  void set_closure(Term const& term, Type const* type) { closures_[&term] = type; }

  // Of a package or of what is below it: what it is, and its keys and values. Remembered, since
  // packages may be large and are final by the time that something uses them.
  struct Extent {
    Type const* type{nullptr};
    Type const* keys{nullptr};
    Type const* values{nullptr};
  };
  Extent const& extent_of(TypeTree const& node);

  TypeTree const& data() const { return data_; }
  Arena& arena() { return arena_; }

 private:
  Type const* of_object(Term const& term);
  Type const* of_data(Term const& ref);
  Type const* select(Type const* type, Term const& ref, std::size_t from);

  TypeTree const& data_;
  Arena& arena_;
  std::vector<Type const*> vars_;
  std::vector<std::pair<std::uint32_t, Type const*>> learnt_;  // variable, what was known before
  std::unordered_map<Term const*, Type const*> closures_;
  std::unordered_map<TypeTree const*, Extent> extents_;
};

// Whether the term may be of that type. Variables of which nothing is known get it; with
// `as_alternative` others may be of it as well.
bool unify(TypeEnv& env, Term const& term, Type const* type, bool as_alternative = false);
// Whether both terms may be the same value.
bool unify(TypeEnv& env, Term const& left, Type const* type_of_left, Term const& right,
           Type const* type_of_right);

}  // namespace check
}  // namespace sallyport::rego
