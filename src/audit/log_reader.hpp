// Reads a log, also while a server writes it: what is read is one moment of the file.
#pragma once

#include "src/audit/chain.hpp"
#include "src/audit/record_json.hpp"
#include "src/audit/time_text.hpp"
#include "src/store/sqlite.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sallyport::audit {

enum class Order { OldestFirst, NewestFirst };

// What is empty does not restrict.
struct Filter {
  std::optional<Time> since;
  std::optional<Time> until;  // before it
  std::string principal;
  std::string tool;
  std::string host;  // of any hop
  std::optional<Verdict> verdict;
  std::optional<int> status;
  std::int64_t after_seq{0};
  std::size_t limit{0};  // 0: all
  Order order{Order::OldestFirst};
};

struct Entry {
  std::int64_t seq{0};
  StoredRecord record;
  std::string hash;  // as stored; 32 bytes unless the file is damaged
  std::string seal;  // empty, but for the last of each commit
  std::string verdict_text;
};

class LogReader {
 public:
  // Fails with NotFound when there is no file, with InvalidInput when it is no audit log.
  static Result<LogReader> open(std::filesystem::path const& file);

  // Calls `visit` for each, until it says false.
  Result<void> each(Filter const& filter, std::function<bool(Entry const&)> const& visit);
  // All records of that call, the oldest first. Fails with NotFound when there is none.
  Result<std::vector<Entry>> find(std::string_view id);
  Result<std::vector<Checkpoint>> checkpoints();  // by number of the record; the head comes last
  Result<std::int64_t> count();
  Result<std::int64_t> last_seq();

  // Another number than before: somebody has written.
  Result<std::int64_t> version();

  // What is read between these two is of the same moment.
  Result<void> begin() { return database_.execute("BEGIN"); }
  Result<void> end() { return database_.execute("COMMIT"); }

 private:
  Result<std::vector<Entry>> find_between(std::string_view id, Time first, Time last);

  explicit LogReader(store::Database database) : database_{std::move(database)} {}

  store::Database database_;
};

}  // namespace sallyport::audit
