#include "src/rego/build.hpp"
#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

struct FakeHost : Host {
  Result<Value> send(Value request, Arena& arena) override {
    ++sent;
    if (failure) return *failure;
    ObjectBuilder answer{arena, 1};
    answer.add("url", get(request, "url"));
    return answer.finish();
  }
  void print(std::string_view text) override { printed.emplace_back(text); }
  void trace(std::string_view text) override { traced.emplace_back(text); }

  bool failed_send_is_final() const override { return final_failures; }

  int sent{0};
  bool final_failures{false};
  std::optional<Error> failure;
  std::vector<std::string> printed;
  std::vector<std::string> traced;
};

// One call with the host, and its answer as Rego text.
std::string result(FakeHost& host, std::string_view name, Operands operands, Arena& arena) {
  Budget budget;
  budget.start({.steps = 100'000});
  BuiltinCall call{.arena = arena, .budget = budget, .host = host};
  auto const value = find_builtin(name)->function(call, operands);
  if (call.error == BuiltinErrc::Halt) return "halt: " + call.message;
  if (call.error != BuiltinErrc::None) return "error: " + call.message;
  return value.is_defined() ? to_rego(value) : "undefined";
}

std::string send(FakeHost& host, std::string_view request) {
  Arena arena;
  auto const parsed = parse_json(request, arena);
  Value const operand = *parsed;
  return result(host, "http.send", {&operand, 1}, arena);
}

TEST(OutsideBuiltins, HandTheRequestToTheHost) {
  FakeHost host;

  EXPECT_EQ(send(host, R"({"method": "get", "url": "https://a.test/"})"),
            R"({"url": "https://a.test/"})");

  EXPECT_EQ(host.sent, 1);
}

TEST(OutsideBuiltins, RefuseRequestsThatSayTooMuchOrTooLittle) {
  FakeHost host;

  EXPECT_EQ(send(host, R"({"method": "get", "url": "u", "shell": 1, "a": 2})"),
            R"(error: operand 1 invalid request parameters(s): {"a", "shell"})");
  EXPECT_EQ(send(host, R"({"headers": {}})"),
            R"(error: operand 1 missing required request parameters(s): {"method", "url"})");
  EXPECT_EQ(send(host, R"({"raise_error": 1})"), "error: invalid value for raise_error field");

  EXPECT_EQ(host.sent, 0);
}

TEST(OutsideBuiltins, AnswerFailuresWherePoliciesWantThem) {
  FakeHost host;
  host.failure = fail(Errc::UpstreamFailed, "no route");

  EXPECT_EQ(send(host, R"({"method": "get", "url": "u"})"), "error: no route");
  EXPECT_EQ(send(host, R"({"method": "get", "url": "u", "raise_error": false})"),
            R"({"error": {"code": "eval_http_send_network_error", "message": "no route"}, )"
            R"("status_code": 0})");
  EXPECT_EQ(send(host, R"({"method": "get", "raise_error": false})"),
            R"({"error": {"code": "eval_http_send_internal_error", "message": "http.send: operand )"
            R"(1 missing required request parameters(s): {\"url\"}"}, "status_code": 0})");
}

TEST(OutsideBuiltins, StopWhereTheTimeOfThePolicyIsUp) {
  FakeHost host;
  host.failure = fail(Errc::DeadlineExceeded, "too late");

  EXPECT_EQ(send(host, R"({"method": "get", "url": "u", "raise_error": false})"),
            "halt: http.send: timed out (too late)");
}

TEST(OutsideBuiltins, StopWhereThePolicyMayNotSend) {
  FakeHost host;
  for (auto const code : {Errc::PolicyDenied, Errc::LimitExceeded}) {
    host.failure = fail(code, "no more");

    EXPECT_EQ(send(host, R"({"method": "get", "url": "u", "raise_error": false})"),
              "halt: http.send: no more");
  }
}

TEST(OutsideBuiltins, EndTheEvaluationWhereTheHostCallsFailuresFinal) {
  FakeHost host;
  host.final_failures = true;
  host.failure = fail(Errc::UpstreamFailed, "no route");

  EXPECT_EQ(send(host, R"({"method": "get", "url": "u"})"), "halt: http.send: no route");
  EXPECT_EQ(send(host, R"({"method": "get"})"),
            R"(halt: http.send: operand 1 missing required request parameters(s): {"url"})");
  EXPECT_EQ(send(host, R"({"raise_error": 1})"),
            "halt: http.send: invalid value for raise_error field");
  EXPECT_EQ(send(host, "1"), "halt: http.send: operand 1 must be object but got number");
  EXPECT_TRUE(send(host, R"({"method": "get", "url": "u", "raise_error": false})")
                  .starts_with(R"({"error")"));
}

TEST(OutsideBuiltins, SendNothingUnlessTheHostDoes) {
  EXPECT_TRUE(test::result("http.send", R"([{"method": "get", "url": "https://a.test/"}])")
                  .find("it is off here") != std::string::npos);
  EXPECT_EQ(test::result("opa.runtime", "[]"), "{}");
}

Value set_of(Arena& arena, std::initializer_list<Value> values) {
  SetBuilder set{arena};
  for (auto const value : values) set.add(value);
  return set.finish();
}

TEST(OutsideBuiltins, PrintEveryCombinationOfValues) {
  FakeHost host;
  Arena arena;
  ArrayBuilder operands{arena};
  operands.add(set_of(arena, {Value::string("a")}));
  operands.add(set_of(arena, {Value::integer(1), Value::integer(2)}));
  operands.add(set_of(arena, {}));
  operands.add(set_of(arena, {*parse_json(R"(["x"])", arena)}));
  Value const operand = operands.finish();

  EXPECT_EQ(result(host, "internal.print", {&operand, 1}, arena), "true");

  EXPECT_EQ(host.printed,
            (std::vector<std::string>{R"(a 1 <undefined> ["x"])", R"(a 2 <undefined> ["x"])"}));
}

TEST(OutsideBuiltins, PrintStopsWithTheBudget) {
  FakeHost host;
  Arena arena;
  SetBuilder many{arena};
  for (int i = 0; i < 1000; ++i) many.add(Value::integer(i));
  auto const numbers = many.finish();
  ArrayBuilder operands{arena};
  for (int i = 0; i < 5; ++i) operands.add(numbers);
  Value const operand = operands.finish();

  EXPECT_EQ(result(host, "internal.print", {&operand, 1}, arena), "undefined");

  EXPECT_LT(host.printed.size(), 100'000U);
}

TEST(OutsideBuiltins, TraceIsTrue) {
  FakeHost host;
  Arena arena;
  Value const operand = Value::string("here");

  EXPECT_EQ(result(host, "trace", {&operand, 1}, arena), "true");

  EXPECT_EQ(host.traced, std::vector<std::string>{"here"});
}

}  // namespace
}  // namespace sallyport::rego
