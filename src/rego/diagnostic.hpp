// What is wrong with a policy, and where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego {

// Rows and columns count from 1; columns are bytes. Row 0: nowhere in particular.
struct Location {
  std::uint32_t file{0};  // which of the sources that were compiled together
  std::uint32_t row{0};
  std::uint32_t column{0};
  std::uint32_t offset{0};  // of the first byte in the source
  std::uint32_t length{0};
};

// By their names in OPA.
enum class Code : std::uint8_t {
  Parse,      // rego_parse_error
  Compile,    // rego_compile_error
  Type,       // rego_type_error
  UnsafeVar,  // rego_unsafe_var_error
  Recursion,  // rego_recursion_error
  // While evaluating:
  Conflict,  // eval_conflict_error
  EvalType,  // eval_type_error
  Builtin,   // eval_builtin_error
  With,      // eval_with_merge_error
  Cancel,    // eval_cancel_error: a limit; the text says which
  Internal,  // eval_internal_error
};
std::string_view name_of(Code code) noexcept;

struct Diagnostic {
  Code code{Code::Internal};
  std::string message;
  std::string hint;  // how to mend it; may be empty
  std::string file;  // name of the source; may be empty
  Location at;
};

using Diagnostics = std::vector<Diagnostic>;

// "policy.rego:2:7: rego_type_error: undefined function foo", then the line and a caret under it
// where `source` is given.
std::string to_text(Diagnostic const& diagnostic, std::string_view source = {});

}  // namespace sallyport::rego
