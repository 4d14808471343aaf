#include "src/rego/budget.hpp"
#include "src/rego/build.hpp"
#include "src/rego/builtins/tables.hpp"
#include "src/rego/host.hpp"
#include "src/rego/json.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace sallyport::rego::builtins {
namespace {

constexpr std::array<std::string_view, 28> kRequestMembers{
    "body",
    "cache",
    "cache_ignored_headers",
    "caching_mode",
    "enable_redirect",
    "force_cache",
    "force_cache_duration_seconds",
    "force_json_decode",
    "force_yaml_decode",
    "headers",
    "max_retry_attempts",
    "method",
    "raise_error",
    "raw_body",
    "timeout",
    "tls_ca_cert",
    "tls_ca_cert_env_variable",
    "tls_ca_cert_file",
    "tls_client_cert",
    "tls_client_cert_env_variable",
    "tls_client_cert_file",
    "tls_client_key",
    "tls_client_key_env_variable",
    "tls_client_key_file",
    "tls_insecure_skip_verify",
    "tls_server_name",
    "tls_use_system_certs",
    "url",
};
static_assert(std::ranges::is_sorted(kRequestMembers));

bool is_request_member(Value name) noexcept {
  return name.is(Kind::String) && std::ranges::binary_search(kRequestMembers, name.as_string());
}

// What is wrong with a request before it is sent; empty: nothing.
std::string problem_of(Value request, Arena& arena) {
  SetBuilder invalid{arena};
  for (auto const& [name, value] : request.entries()) {
    if (!is_request_member(name)) invalid.add(name);
  }
  if (auto const names = invalid.finish(); names.size() > 0) {
    return "invalid request parameters(s): " + to_rego(names);
  }
  SetBuilder missing{arena};
  for (std::string_view const name : {"method", "url"}) {
    if (!get(request, name).is_defined()) missing.add(Value::string(name));
  }
  if (auto const names = missing.finish(); names.size() > 0) {
    return "missing required request parameters(s): " + to_rego(names);
  }
  return {};
}

// With `raise_error: false` a policy gets failures as an answer.
Value failure_as_answer(Arena& arena, std::string_view code, std::string_view message) {
  ObjectBuilder error{arena, 2};
  error.add("code", Value::string(code));
  error.add("message", Value::string(arena.copy(message)));
  ObjectBuilder answer{arena, 2};
  answer.add("status_code", Value::integer(0));
  answer.add("error", error.finish());
  return answer.finish();
}

// After a failure that the policy did not ask to see.
Value raised(BuiltinCall& call) {
  if (!call.host.failed_send_is_final()) return {};
  return call.halt("http.send: " + std::exchange(call.message, {}));
}

Value send(BuiltinCall& call, Operands operands) {
  auto const request = operands[0];
  if (!request.is(Kind::Object)) {
    call.wrong_type(1, "object", request);
    return raised(call);
  }
  auto const raise = get(request, "raise_error");
  if (raise.is_defined() && !raise.is(Kind::Boolean)) {
    call.fail("invalid value for raise_error field");
    return raised(call);
  }
  auto const raises = !raise.is_false();
  if (auto const problem = problem_of(request, call.arena); !problem.empty()) {
    if (raises) {
      call.wrong_operand(1, problem);
      return raised(call);
    }
    return failure_as_answer(call.arena, "eval_http_send_internal_error",
                             "http.send: operand 1 " + problem);
  }
  auto answer = call.host.send(request, call.arena);
  if (answer) return *answer;
  auto const& error = answer.error();
  // The policy's time is up, not the peer's: no answer is made of that.
  if (error.code == Errc::DeadlineExceeded || error.code == Errc::Cancelled) {
    return call.halt("http.send: timed out (" + error.message + ")");
  }
  // It may not send at all, or no more: neither is the peer's doing.
  if (error.code == Errc::PolicyDenied || error.code == Errc::LimitExceeded) {
    return call.halt("http.send: " + error.message);
  }
  if (raises) {
    call.fail(error.message);
    return raised(call);
  }
  auto const is_network = error.code == Errc::UpstreamFailed;
  return failure_as_answer(
      call.arena, is_network ? "eval_http_send_network_error" : "eval_http_send_internal_error",
      error.message);
}

Value runtime(BuiltinCall& call, Operands) {
  return call.host.runtime(call.arena);
}

Value trace(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  call.host.trace(operands[0].as_string());
  return Value::boolean(true);
}

std::string printed(Value value) {
  return value.is(Kind::String) ? std::string{value.as_string()} : to_rego(value);
}

// Each operand stands for the values that its expression has: one line for every combination of
// them.
class Printer {
 public:
  Printer(BuiltinCall& call, std::span<Value const> operands)
      : call_{call}, operands_{operands}, texts_(operands.size()) {}

  bool print_from(std::size_t index) {
    if (!call_.budget.charge()) return false;
    if (index == operands_.size()) return print_line();
    auto const operand = operands_[index];
    if (operand.is(Kind::Array) || operand.is(Kind::Object)) {
      call_.halt("illegal argument type: " + std::string{name_of(operand.kind())});
      return false;
    }
    if (!operand.is(Kind::Set) || operand.size() == 0) {
      texts_[index] = operand.is(Kind::Set) ? "<undefined>" : printed(operand);
      return print_from(index + 1);
    }
    return std::ranges::all_of(operand.items(), [&](Value value) {
      texts_[index] = printed(value);
      return print_from(index + 1);
    });
  }

 private:
  bool print_line() {
    std::string line;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (i > 0) line += ' ';
      line += texts_[i];
    }
    // Text is made outside of the arena; its limit counts nonetheless.
    if (line.size() > call_.budget.limits().longest_text) {
      call_.halt("print: the line is too long");
      return false;
    }
    if (!call_.budget.charge(line.size() / 64)) return false;
    call_.host.print(line);
    return true;
  }

  BuiltinCall& call_;
  std::span<Value const> operands_;
  std::vector<std::string> texts_;
};

Value print(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::Array)) return call.wrong_type(1, "array", operands[0]);
  // Operands that are arrays were put into sets by the checker, so depth is the number of operands
  // of one call.
  if (!Printer{call, operands[0].items()}.print_from(0)) return {};
  return Value::boolean(true);
}

constexpr std::array kTable{
    Builtin{"http.send", "object[string: any] -> object[any: any]", send, nullptr,
            Builtin::kNondeterministic},
    Builtin{"internal.print", "array[set[any]] -> ", print, nullptr, Builtin::kVoid},
    Builtin{"opa.runtime", "-> object[string: any]", runtime, nullptr, Builtin::kNondeterministic},
    Builtin{"trace", "string -> boolean", trace, nullptr, Builtin::kVoid},
};

}  // namespace

BuiltinTable outside() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
