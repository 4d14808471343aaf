// A foreign schema and a foreign value: {"schema": …, "instance": …}. Neither may crash, hang or
// overflow the stack. A text without "schema" is both at once.
#include "src/base/assert.hpp"
#include "src/json/parse.hpp"
#include "src/json/schema.hpp"

#include <cstddef>
#include <cstdint>

namespace json = sallyport::json;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  auto const document = json::parse(text);
  if (!document) return 0;
  auto const* object = document->if_object();
  auto const* schema = object == nullptr ? nullptr : json::find(*object, "schema");
  auto const* instance = object == nullptr ? nullptr : json::find(*object, "instance");

  auto const compiled = json::Schema::compile(schema == nullptr ? *document : *schema,
                                              {.subschemas = 2000, .depth = 64, .steps = 50'000});
  if (!compiled) {
    SP_ASSERT(!compiled.error().message.empty(), "a refusal says why");
    return 0;
  }
  auto const& value = instance == nullptr ? *document : *instance;
  auto const first = compiled->validate(value);
  auto const second = compiled->validate(value);
  SP_ASSERT(first.has_value() == second.has_value(), "one value gets one answer");
  return 0;
}
