// A record as the log keeps it: one line of JSON with its members in a fixed order. These bytes are
// what is hashed; nobody writes them anew from a record that was read.
#pragma once

#include "src/audit/record.hpp"
#include "src/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace sallyport::audit {

std::string_view to_string(Verdict verdict) noexcept;
// Empty for a call that is no stream.
std::string_view to_string(StreamState state) noexcept;

// What the log stores of one record: the columns that are searched, and the whole as JSON. All of
// it is valid UTF-8 (what is not is replaced), and no text is longer than 16 KiB (it is cut and
// ends in an ellipsis), whatever a peer made the record say.
struct StoredRecord {
  std::string id;
  std::int64_t time{0};  // microseconds since 1970, UTC
  std::string principal;
  std::string tool;
  std::string purpose;
  std::string hosts;  // of all hops, each once, separated by spaces
  Verdict verdict{Verdict::Denied};
  int status{0};
  std::string body;

  friend bool operator==(StoredRecord const&, StoredRecord const&) = default;
};

StoredRecord to_stored(Record const& record);

// Reads a body. Fails with InvalidInput; members that are missing are empty, unknown ones are
// passed over.
Result<Record> parse_record(std::string_view body);

}  // namespace sallyport::audit
