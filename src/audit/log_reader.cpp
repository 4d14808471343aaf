#include "src/audit/log_reader.hpp"

#include "src/audit/call_id.hpp"
#include "src/audit/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace sallyport::audit {
namespace {

constexpr std::string_view kColumns =
    "SELECT seq, id, time, principal, tool, purpose, hosts, verdict, status, hash, body, seal FROM "
    "record";

// A call has its id a moment before its record has its time.
constexpr auto kIdBefore = std::chrono::seconds{1};
constexpr auto kIdAfter = std::chrono::minutes{1};

// Conditions with their parameters, in the order in which they were added.
class Conditions {
 public:
  using Parameter = std::variant<std::int64_t, std::string>;

  // `condition` has one `{}`, where the parameter stands.
  void add(std::string_view condition, Parameter parameter) {
    parameters_.push_back(std::move(parameter));
    auto const place = fmt::format("?{}", parameters_.size());
    text_ += text_.empty() ? " WHERE " : " AND ";
    text_ += fmt::format(fmt::runtime(condition), place);
  }
  std::string const& text() const { return text_; }
  void bind(store::Statement& statement) const {
    for (int index = 1; auto const& parameter : parameters_) {
      std::visit([&](auto const& value) { statement.bind(index, value); }, parameter);
      ++index;
    }
  }

 private:
  std::string text_;
  std::vector<Parameter> parameters_;
};

Conditions conditions_of(Filter const& filter) {
  Conditions conditions;
  if (filter.after_seq > 0) conditions.add("seq > {}", filter.after_seq);
  if (filter.since) conditions.add("time >= {}", microseconds_of(*filter.since));
  if (filter.until) conditions.add("time < {}", microseconds_of(*filter.until));
  if (!filter.principal.empty()) conditions.add("principal = {}", filter.principal);
  if (!filter.tool.empty()) conditions.add("tool = {}", filter.tool);
  if (!filter.host.empty()) {
    conditions.add("instr(' ' || hosts || ' ', ' ' || {} || ' ') > 0", filter.host);
  }
  if (filter.verdict) conditions.add("verdict = {}", std::string{to_string(*filter.verdict)});
  if (filter.status) conditions.add("status = {}", std::int64_t{*filter.status});
  return conditions;
}

void read_entry(store::Statement const& row, Entry& entry) {
  entry.seq = row.integer(0);
  auto& record = entry.record;
  record.id = row.text(1);
  record.time = row.integer(2);
  record.principal = row.text(3);
  record.tool = row.text(4);
  record.purpose = row.text(5);
  record.hosts = row.text(6);
  entry.verdict_text = row.text(7);
  record.verdict = entry.verdict_text == "allowed" ? Verdict::Allowed : Verdict::Denied;
  record.status = static_cast<int>(row.integer(8));
  entry.hash = row.blob(9);
  record.body = row.text(10);
  entry.seal = row.blob(11);
}

bool is_opened_stream(Entry const& entry) {
  auto const record = parse_record(entry.record.body);
  return record && record->stream == StreamState::Opened;
}

}  // namespace

Result<LogReader> LogReader::open(std::filesystem::path const& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    return fail(Errc::NotFound, "There is no audit log there.", file.string());
  }
  SP_TRY(auto database, store::Database::open(file, store::Database::Mode::ReadOnly));
  SP_TRY(auto const kind, file_kind(database));
  if (kind == FileKind::Empty) {
    return fail(Errc::InvalidInput, "The file is empty; it is not an audit log of Sallyport.");
  }
  SP_CHECK(database.execute("PRAGMA query_only = 1; PRAGMA busy_timeout = 2000"));
  return LogReader{std::move(database)};
}

Result<void> LogReader::each(Filter const& filter, std::function<bool(Entry const&)> const& visit) {
  auto const conditions = conditions_of(filter);
  auto sql = fmt::format("{}{} ORDER BY seq {}", kColumns, conditions.text(),
                         filter.order == Order::NewestFirst ? "DESC" : "ASC");
  if (filter.limit > 0) sql += fmt::format(" LIMIT {}", filter.limit);
  SP_TRY(auto select, database_.prepare(sql));
  conditions.bind(select);
  Entry entry;
  for (;;) {
    SP_TRY(bool const row, select.step());
    if (!row) return {};
    read_entry(select, entry);
    if (!visit(entry)) return {};
  }
}

Result<std::vector<Entry>> LogReader::find(std::string_view id) {
  std::vector<Entry> entries;
  // The index of times finds an id of ours at once; any other is looked for everywhere.
  auto const time = time_of_call_id(id);
  if (time) {
    SP_TRY(entries, find_between(id, *time - kIdBefore, *time + kIdAfter));
  }
  // A stream may have been closed long after.
  bool const half = entries.size() == 1 && is_opened_stream(entries.front());
  if (half) {
    SP_TRY(entries, find_between(id, *time - kIdBefore, Time::max()));
  }
  if (entries.empty()) {
    SP_TRY(entries, find_between(id, Time::min(), Time::max()));
  }
  if (!entries.empty()) return entries;
  return fail(Errc::NotFound, fmt::format("There is no record of a call {} in the audit log.", id));
}

Result<std::vector<Entry>> LogReader::find_between(std::string_view id, Time first, Time last) {
  SP_TRY(auto select, database_.prepare(fmt::format(
                          "{} WHERE id = ?1 AND time BETWEEN ?2 AND ?3 ORDER BY seq", kColumns)));
  select.bind(1, id);
  select.bind(2, microseconds_of(first));
  select.bind(3, microseconds_of(last));
  std::vector<Entry> entries;
  for (;;) {
    SP_TRY(bool const row, select.step());
    if (!row) return entries;
    read_entry(select, entries.emplace_back());
  }
}

Result<std::vector<Checkpoint>> LogReader::checkpoints() {
  SP_TRY(auto select,
         database_.prepare("SELECT kind, seq, hash, time, unrecorded, key, signature FROM "
                           "checkpoint ORDER BY number = 0, seq, number"));
  std::vector<Checkpoint> all;
  for (;;) {
    SP_TRY(bool const row, select.step());
    if (!row) return all;
    auto& each = all.emplace_back();
    each.kind = select.text(0);
    each.at.seq = select.integer(1);
    auto const hash = select.blob(2);
    std::copy_n(hash.begin(), std::min(hash.size(), each.at.hash.size()),
                reinterpret_cast<char*>(each.at.hash.data()));
    each.time = select.integer(3);
    each.unrecorded = select.integer(4);
    each.key = select.text(5);
    each.signature = select.blob(6);
  }
}

Result<std::int64_t> LogReader::count() {
  return database_.number("SELECT count(*) FROM record");
}

Result<std::int64_t> LogReader::last_seq() {
  return database_.number("SELECT max(seq) FROM record");
}

Result<std::int64_t> LogReader::version() {
  return database_.number("PRAGMA data_version");
}

}  // namespace sallyport::audit
