// For tests of built-ins: one call with operands written as JSON, and its answer as Rego text.
//
//   EXPECT_EQ(result("split", R"(["a.b", "."])"), R"(["a", "b"])");
//   EXPECT_EQ(result("lower", "[1]"), "type error: operand 1 must be string but got number");
#pragma once

#include "src/rego/budget.hpp"
#include "src/rego/builtin.hpp"
#include "src/rego/host.hpp"
#include "src/rego/json.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego::test {

// What a call needs around it. Values that it returns live as long as it does.
class BuiltinBench {
 public:
  // Steps are bounded, time is not: a test does not depend on how busy its machine is.
  explicit BuiltinBench(Limits limits = {}) {
    limits.time = std::chrono::hours{1};
    budget.start(limits);
  }

  // `operands` is a JSON array.
  Value parse(std::string_view json) {
    auto const parsed = parse_json(json, arena);
    return parsed ? *parsed : Value{};
  }

  Value call(std::string_view name, Operands operands) {
    error = BuiltinErrc::None;
    message.clear();
    auto const* const builtin = find_builtin(name);
    if (builtin == nullptr) {
      message = "no such built-in";
      return {};
    }
    std::unique_ptr<Prepared const> prepared;
    if (prepare && builtin->prepare != nullptr) prepared = builtin->prepare(operands);
    BuiltinCall call{.arena = arena,
                     .budget = budget,
                     .host = host,
                     .now = now,
                     .seed = seed,
                     .prepared = prepared.get(),
                     .error = BuiltinErrc::None,
                     .message = {}};
    auto const value = builtin->function(call, operands);
    error = call.error;
    message = call.message;
    return value;
  }

  std::string result(std::string_view name, Operands operands) {
    auto const value = call(name, operands);
    switch (error) {
      case BuiltinErrc::None: return value.is_defined() ? to_rego(value) : "undefined";
      case BuiltinErrc::Builtin: return "error: " + message;
      case BuiltinErrc::Type: return "type error: " + message;
      case BuiltinErrc::Halt: return "halt: " + message;
    }
    return {};
  }

  std::string result(std::string_view name, std::string_view operands) {
    auto const parsed = parse(operands);
    if (!parsed.is(Kind::Array)) return "the operands are not a JSON array";
    return result(name, parsed.items());
  }

  Arena arena;
  Budget budget;
  Host host;
  std::chrono::nanoseconds now{};
  std::uint64_t seed{1};
  bool prepare{false};  // as if all operands were constants
  BuiltinErrc error{BuiltinErrc::None};
  std::string message;
};

inline std::string result(std::string_view name, std::string_view operands) {
  return BuiltinBench{}.result(name, operands);
}

struct Case {
  std::string_view name;
  std::string_view operands;
  std::string_view wanted;
};

// `call` is result(), or a variation of it.
inline void expect(std::initializer_list<Case> cases,
                   std::string (*call)(std::string_view, std::string_view) = &result) {
  for (auto const& [name, operands, wanted] : cases) {
    EXPECT_EQ(call(name, operands), wanted) << name << operands;
  }
}

// The same call with everything prepared at load, as for constants.
inline std::string prepared_result(std::string_view name, std::string_view operands) {
  BuiltinBench bench;
  bench.prepare = true;
  return bench.result(name, operands);
}

}  // namespace sallyport::rego::test
