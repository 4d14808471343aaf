// What a built-in function is to the rest of the engine.
//
// Each group of built-ins is one file in builtins/ with one table; builtins/registry.cpp lists the
// tables. A built-in is a plain function of its operands: no I/O, no locks, no state of its own.
// The few that need the outside (`http.send`, `opa.runtime`) ask the Host.
#pragma once

#include "src/rego/value.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace sallyport::rego {

class Budget;  // budget.hpp: steps, deadline and memory of one evaluation
class Host;    // host.hpp: what the embedding program offers
struct Prepared;

using Operands = std::span<Value const>;

enum class BuiltinErrc : std::uint8_t { None, Builtin, Type, Halt };

// One call of a built-in. The evaluator makes one per evaluation and keeps using it.
struct BuiltinCall {
  Arena& arena;    // where results go
  Budget& budget;  // charge() it for work that the size of the operands does not bound
  Host& host;
  std::chrono::nanoseconds now{};  // since the epoch; the same all through an evaluation
  std::uint64_t seed{0};           // of rand.intn and uuid.rfc4122 within this evaluation
  // Made once by Builtin::prepare, where the operands it needs are constants; null otherwise.
  Prepared const* prepared{nullptr};

  // Set by the functions below; the evaluator reads and clears them. In strict mode an error ends
  // the evaluation, otherwise the call is undefined.
  BuiltinErrc error{BuiltinErrc::None};
  std::string message;

  // Each records the failure and returns undefined: `return call.fail("division by zero");`
  Value fail(std::string text);
  // "operand 1 must be string but got number". `operand` counts from 1.
  Value wrong_type(int operand, std::string_view wanted, Value got);
  Value wrong_operand(int operand, std::string_view text);
  // A limit: ends the evaluation also where errors would make a call undefined.
  Value halt(std::string text);
};

using BuiltinFunction = Value (*)(BuiltinCall& call, Operands operands);

// What a built-in makes at load from operands that are constants: a compiled pattern, a parsed
// range.
struct Prepared {
  virtual ~Prepared() = default;
};

struct Builtin {
  std::string_view name;
  // In the words of OPA's documentation: "string, any<array[string], set[string]> -> string". Read
  // by the type checker; a leading "relation" result is given as a set, which the call iterates
  // (walk).
  std::string_view signature;
  BuiltinFunction function;
  // Null, or: `constants` holds the operands, undefined where they are not known at load. Returns
  // null where they do not suffice or are wrong; the call then sees them and says so.
  std::unique_ptr<Prepared const> (*prepare)(Operands constants) = nullptr;
  enum Flags : std::uint8_t {
    kPlain = 0,
    kNondeterministic = 1,  // not folded into constants; the same operands give the same result
                            // within one evaluation, which the evaluator remembers
    kRelation = 2,          // walk: [path, value] pairs that the last operand is unified with
    kDeprecated = 4,        // refused in v1
    kVoid = 8,              // print, trace: always true
  };
  std::uint8_t flags = kPlain;
};

using BuiltinTable = std::span<Builtin const>;

// Null where there is none.
Builtin const* find_builtin(std::string_view name) noexcept;
// All of them, sorted by name.
std::span<Builtin const* const> all_builtins();

}  // namespace sallyport::rego
