// What stands in the file of an audit log is read or refused; what was read is written the same way
// again and again.
#include "src/audit/record_json.hpp"
#include "src/audit/time_text.hpp"
#include "src/base/assert.hpp"

#include <cstddef>
#include <cstdint>

namespace audit = sallyport::audit;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  static_cast<void>(audit::parse_time(text));
  auto const record = audit::parse_record(text);
  if (!record) return 0;
  auto const stored = audit::to_stored(*record);
  auto const again = audit::parse_record(stored.body);
  SP_ASSERT(again, "what we write we can read");
  SP_ASSERT(audit::to_stored(*again) == stored, "reading loses nothing");
  return 0;
}
