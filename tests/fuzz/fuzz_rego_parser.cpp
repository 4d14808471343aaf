// Hostile policies: whatever comes, the parser answers with a tree or with an error that has a
// place. What parses is written anew by the formatter, which keeps its meaning, and by the printer.
#include "src/base/assert.hpp"
#include "src/rego/format.hpp"
#include "src/rego/parser.hpp"
#include "src/rego/print.hpp"
#include "src/rego/same_tree.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::rego {
namespace {

void check_module(std::string_view text, CompileOptions const& options) {
  Arena arena;
  Diagnostics errors;
  auto const* const module = parse_module(text, 0, options, arena, errors);
  SP_ASSERT((module == nullptr) == !errors.empty(), "a tree or an error");
  for (auto const& error : errors) {
    SP_ASSERT(error.at.offset <= text.size(), "errors are in the text");
    SP_ASSERT(!to_text(error, text).empty(), "errors can be shown");
  }
  if (module == nullptr) return;
  for (auto const* rule : module->rules) (void)to_text(rule->body);
  auto const once = format_module(*module, text);
  auto const* const again = parse_module(once, 0, options, arena, errors);
  SP_ASSERT(again != nullptr, "what is formatted parses");
  SP_ASSERT(same_tree(*module, *again), "and means the same");
  SP_ASSERT(module->comments.size() == again->comments.size(), "with every comment");
  SP_ASSERT(format_module(*again, once) == once, "and is formatted already");
}

void check_query(std::string_view text, CompileOptions const& options) {
  Arena arena;
  Diagnostics errors;
  auto const body = parse_query(text, options, arena, errors);
  SP_ASSERT(body.empty() == !errors.empty(), "a query or an error");
  (void)to_text(body);
  errors.clear();
  auto const value = parse_ground_term(text, arena, errors);
  SP_ASSERT(value.is_defined() == errors.empty(), "a value or an error");
}

}  // namespace
}  // namespace sallyport::rego

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  using namespace sallyport::rego;
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  CompileOptions options;
  check_module(text, options);
  options.experimental_keywords = {"and", "or"};
  check_module(text, options);
  check_query(text, options);
  options.syntax = Syntax::V0;
  check_module(text, options);
  return 0;
}
