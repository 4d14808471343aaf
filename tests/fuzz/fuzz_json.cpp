// What json::parse accepts, json::write gives back: the same value, and the same text from then on.
#include "src/base/assert.hpp"
#include "src/json/parse.hpp"
#include "src/json/write.hpp"

#include <cstddef>
#include <cstdint>

namespace json = sallyport::json;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  auto const value = json::parse(text);
  if (!value) {
    SP_ASSERT(!value.error().message.empty(), "a refusal says why");
    return 0;
  }
  auto const written = json::to_text(*value);
  auto const again = json::parse(written);
  SP_ASSERT(again, "what was written can be read");
  SP_ASSERT(*again == *value, "what was written is the same value");
  SP_ASSERT(json::to_text(*again) == written, "writing is stable");

  auto const canonical = json::canonical(*value);
  auto const from_canonical = json::parse(canonical);
  SP_ASSERT(from_canonical, "a canonical text can be read");
  SP_ASSERT(json::canonical(*from_canonical) == canonical, "a canonical text is its own");
  return 0;
}
