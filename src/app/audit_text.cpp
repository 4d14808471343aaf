#include "src/app/audit_text.hpp"

#include "src/json/write.hpp"
#include "src/store/digest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace sallyport::app {
namespace {

using audit::Entry;
using audit::Record;

constexpr std::string_view kRow = "{:<27}  {:<7}  {:>6}  {:<14}  {:<14}  {:<30}  {}\n";

std::string time_of(Entry const& entry) {
  return audit::time_text(audit::time_of(entry.record.time));
}

std::string shortened(std::string_view text, std::size_t width) {
  auto clean = for_terminal(text);
  if (clean.size() <= width) return clean;
  auto end = width - 1;
  // Not inside a character.
  while (end > 0 && (static_cast<unsigned char>(clean[end]) & 0xC0U) == 0x80) --end;
  return clean.substr(0, end) + "…";
}

class Lines {
 public:
  void add(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    fmt::format_to(std::back_inserter(text_), "{:<12}{}\n", name, for_terminal(value));
  }
  void add(std::string_view name, std::vector<std::string> const& values) {
    add(name, fmt::format("{}", fmt::join(values, ", ")));
  }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

std::string milliseconds(std::chrono::microseconds time) {
  return fmt::format("{:.3f} ms", static_cast<double>(time.count()) / 1000);
}

void add_hop(audit::Hop const& hop, std::size_t number, Lines& lines) {
  lines.add(fmt::format("hop {}", number), fmt::format("{} {}", hop.method, hop.url));
  lines.add("  status", hop.status == 0 ? "no answer" : std::to_string(hop.status));
  lines.add("  headers", hop.header_names);
  lines.add("  injected", hop.injected);
  lines.add("  policy", hop.policy);
  lines.add("  resolved", hop.resolved);
  lines.add("  connected", hop.connected.empty() ? "nothing was dialled" : hop.connected);
}

// What the figures of a record are about, where it is one of two.
std::string_view stream_text(audit::StreamState state) {
  switch (state) {
    case audit::StreamState::None: return "";
    case audit::StreamState::Opened: return "opened (figures: until the head of the answer)";
    case audit::StreamState::Closed: return "closed (figures: of the whole stream)";
  }
  return "";
}

void add_record(Record const& record, Lines& lines) {
  lines.add("request", record.request_id);
  lines.add("principal", record.principal);
  lines.add("issuer", record.issuer);
  lines.add("client", record.client);
  lines.add("session", record.session);
  lines.add("tool", record.tool);
  lines.add("server", record.server);
  lines.add("purpose", record.purpose);
  lines.add("execution", record.execution);
  lines.add("stream", stream_text(record.stream));
  lines.add("verdict", to_string(record.verdict));
  for (auto const& reason : record.reasons) lines.add("  reason", reason);
  for (std::size_t i = 0; i < record.hops.size(); ++i) add_hop(record.hops[i], i + 1, lines);
  lines.add("status", record.status == 0 ? "no answer" : std::to_string(record.status));
  if (record.close_code != 0) lines.add("closed", fmt::format("with {}", record.close_code));
  lines.add("sent", fmt::format("{} bytes", record.bytes_sent));
  lines.add("received", fmt::format("{} bytes", record.bytes_received));
  lines.add("times",
            fmt::format("connect {}, first byte {}, total {}", milliseconds(record.connect),
                        milliseconds(record.first_byte), milliseconds(record.total)));
  lines.add("error", record.error_code.empty()
                         ? record.error
                         : fmt::format("{}: {}", record.error_code, record.error));
}

// The revisions that judged, each once; the policy may have changed between two hops.
std::string policies_of(Record const& record) {
  std::string all;
  std::string_view last;
  for (auto const& hop : record.hops) {
    if (hop.policy.empty() || hop.policy == last) continue;
    all += (all.empty() ? "" : ", ") + hop.policy;
    last = hop.policy;
  }
  return all;
}

// Behind the row of a call in the list: which of the two records of a stream it is.
std::string stream_mark(Entry const& entry) {
  auto const record = audit::parse_record(entry.record.body);
  if (!record || record->stream == audit::StreamState::None) return {};
  if (record->stream == audit::StreamState::Opened) return "  opened";
  return fmt::format("  closed after {}, {} bytes{}{}", milliseconds(record->total),
                     record->bytes_received, record->error_code.empty() ? "" : ", ",
                     for_terminal(record->error_code));
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string{text};
  std::string quoted = "\"";
  for (char const c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string for_terminal(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const byte = static_cast<unsigned char>(text[i]);
    auto const next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0;
    // U+0080 to U+009F are control characters, too.
    if (byte == 0xC2 && next >= 0x80 && next <= 0x9F) {
      out += '?';
      ++i;
    } else {
      out += byte < 0x20 || byte == 0x7F ? '?' : text[i];
    }
  }
  return out;
}

std::string table_heading() {
  return fmt::format(fmt::runtime(kRow), "TIME", "VERDICT", "STATUS", "PRINCIPAL", "TOOL", "HOST",
                     "ID");
}

std::string table_row(Entry const& entry) {
  auto const& record = entry.record;
  auto const status = record.status == 0 ? std::string{"-"} : std::to_string(record.status);
  return fmt::format(fmt::runtime(kRow), time_of(entry), shortened(entry.verdict_text, 7), status,
                     shortened(record.principal, 14), shortened(record.tool, 14),
                     shortened(record.hosts, 30), for_terminal(record.id) + stream_mark(entry));
}

std::string full_text(Entry const& entry) {
  Lines lines;
  lines.add("id", entry.record.id);
  lines.add("time", time_of(entry));
  lines.add("seq", std::to_string(entry.seq));
  lines.add("hash", store::to_hex(entry.hash));
  if (auto const record = audit::parse_record(entry.record.body)) {
    add_record(*record, lines);
  } else {
    lines.add("body", "(not a record; see sallyport audit verify) " + entry.record.body);
  }
  return std::move(lines).text();
}

std::string json_line(Entry const& entry) {
  auto line =
      fmt::format(R"({{"seq":{},"hash":"{}","record":)", entry.seq, store::to_hex(entry.hash));
  if (audit::parse_record(entry.record.body)) {
    line += entry.record.body;
  } else {
    json::write_string(for_terminal(entry.record.body), line);
  }
  return line + "}";
}

std::string csv_heading() {
  return "seq,time,id,principal,tool,purpose,hosts,verdict,status,method,url,bytes_sent,"
         "bytes_received,total_us,error_code,error,hash,policy,stream\r\n";
}

std::string csv_row(Entry const& entry) {
  auto const& stored = entry.record;
  auto const parsed = audit::parse_record(stored.body);
  auto const record = parsed ? *parsed : Record{};
  auto const hop = record.hops.empty() ? audit::Hop{} : record.hops.front();
  std::vector<std::string> const fields = {std::to_string(entry.seq),
                                           time_of(entry),
                                           stored.id,
                                           stored.principal,
                                           stored.tool,
                                           stored.purpose,
                                           stored.hosts,
                                           entry.verdict_text,
                                           std::to_string(stored.status),
                                           hop.method,
                                           hop.url,
                                           std::to_string(record.bytes_sent),
                                           std::to_string(record.bytes_received),
                                           std::to_string(record.total.count()),
                                           record.error_code,
                                           record.error,
                                           store::to_hex(entry.hash),
                                           policies_of(record),
                                           std::string{to_string(record.stream)}};
  std::string row;
  for (auto const& field : fields) {
    if (!row.empty()) row += ',';
    row += csv_field(field);
  }
  return row + "\r\n";
}

}  // namespace sallyport::app
