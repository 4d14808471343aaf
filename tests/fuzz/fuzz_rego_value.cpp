// What rego::parse_json accepts, write_json gives back: an equal value with an equal hash, in the
// arena alone. Numbers keep their order whatever is computed with them.
#include "src/base/assert.hpp"
#include "src/rego/json.hpp"
#include "src/rego/number.hpp"

#include <cstddef>
#include <cstdint>

namespace rego = sallyport::rego;

namespace {

void check_numbers(rego::Value left, rego::Value right, rego::Arena& arena) {
  auto const sum = rego::add(left, right, arena);
  if (sum.error != rego::NumberError::None) return;
  if (!rego::is_integer(left) || !rego::is_integer(right)) return;
  auto const back = rego::subtract(sum.value, right, arena);
  SP_ASSERT(back.error == rego::NumberError::None && rego::equal(back.value, left),
            "integers are exact");
  SP_ASSERT((compare(sum.value, left) < 0) == (compare(right, rego::Value::integer(0)) < 0),
            "the order of integers agrees with their sums");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  rego::Arena arena;
  rego::Arena kept;
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  auto const value = rego::parse_json(text, arena);
  if (!value) {
    SP_ASSERT(!value.error().message.empty(), "a refusal says why");
    return 0;
  }
  auto const written = rego::to_json(*value);
  auto const copy = rego::deep_copy(*value, kept);
  if (value->is(rego::Kind::Array) && value->size() == 2) {
    auto const items = value->items();
    if (items[0].is(rego::Kind::Number) && items[1].is(rego::Kind::Number)) {
      check_numbers(items[0], items[1], kept);
    }
  }
  arena.reset();
  auto const again = rego::parse_json(written, arena);
  SP_ASSERT(again, "what was written can be read");
  SP_ASSERT(rego::equal(*again, copy), "what was written is the same value");
  SP_ASSERT(rego::hash(*again) == rego::hash(copy), "equal values have equal hashes");
  SP_ASSERT(rego::to_json(*again) == written, "writing is stable");
  SP_ASSERT(rego::to_rego(*again) == rego::to_rego(copy), "equal texts have one form in Rego");
  return 0;
}
