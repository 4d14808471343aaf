#include "src/audit/record_json.hpp"

#include "src/audit/time_text.hpp"
#include "src/json/parse.hpp"
#include "src/json/write.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace sallyport::audit {
namespace {

constexpr std::size_t kLongestText = 16UL * 1024;
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

unsigned char byte_at(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
}

// The length of the UTF-8 sequence at the front, 0 when there is none.
std::size_t sequence_length(std::string_view text) {
  auto const first = byte_at(text, 0);
  if (first < 0x80) return 1;
  auto const second = byte_at(text, 1);
  auto const follows = [&](std::size_t at) { return (byte_at(text, at) & 0xC0U) == 0x80; };
  if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    bool const overlong = first == 0xE0 && second < 0xA0;
    bool const surrogate = first == 0xED && second > 0x9F;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    bool const overlong = first == 0xF0 && second < 0x90;
    bool const too_large = first == 0xF4 && second > 0x8F;
    return follows(1) && follows(2) && follows(3) && !overlong && !too_large ? 4 : 0;
  }
  return 0;
}

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

std::string clean(std::string_view text) {
  if (text.size() <= kLongestText && is_ascii(text)) return std::string{text};
  std::string out;
  while (!text.empty()) {
    auto const length = sequence_length(text);
    if (out.size() + std::max<std::size_t>(length, kReplacement.size()) > kLongestText) {
      return out += kEllipsis;
    }
    out += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

// Writes the members of one object; what is empty is left out.
class Members {
 public:
  explicit Members(std::string& out) : out_{out} { out_ += '{'; }
  ~Members() { out_ += '}'; }
  Members(Members const&) = delete;
  Members& operator=(Members const&) = delete;

  void text(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    begin(name);
    append_text(value);
  }
  template <class Number>
  void number(std::string_view name, Number value) {
    begin(name);
    std::array<char, 24> digits;  // NOLINT(cppcoreguidelines-pro-type-member-init): to_chars fills
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    out_.append(digits.data(), end);
  }
  void list(std::string_view name, std::vector<std::string> const& values) {
    if (values.empty()) return;
    begin(name);
    out_ += '[';
    for (auto const& value : values) {
      if (&value != &values.front()) out_ += ',';
      append_text(value);
    }
    out_ += ']';
  }
  std::string& begin(std::string_view name) {
    out_ += first_ ? "\"" : ",\"";
    first_ = false;
    out_ += name;
    return out_ += "\":";
  }

 private:
  void append_text(std::string_view value) {
    if (value.size() <= kLongestText && is_ascii(value)) {
      json::write_string(value, out_);
    } else {
      json::write_string(clean(value), out_);
    }
  }

  std::string& out_;
  bool first_{true};
};

void write_hop(Hop const& hop, std::string& out) {
  Members members{out};
  members.text("url", hop.url);
  members.text("method", hop.method);
  members.list("headers", hop.header_names);
  members.list("injected", hop.injected);
  members.text("policy", hop.policy);
  members.list("resolved", hop.resolved);
  members.text("connected", hop.connected);
  members.number("status", hop.status);
}

void write_hops(std::vector<Hop> const& hops, std::string& out) {
  out += '[';
  for (auto const& hop : hops) {
    if (&hop != &hops.front()) out += ',';
    write_hop(hop, out);
  }
  out += ']';
}

void write_record(Record const& record, std::string& out) {
  Members members{out};
  members.text("id", record.id);
  members.text("time", time_text(record.time));
  members.text("request_id", record.request_id);
  members.text("principal", record.principal);
  members.text("issuer", record.issuer);
  members.text("client", record.client);
  members.text("session", record.session);
  members.text("tool", record.tool);
  members.text("server", record.server);
  members.text("purpose", record.purpose);
  members.text("execution", record.execution);
  members.text("stream", to_string(record.stream));
  members.text("verdict", to_string(record.verdict));
  members.list("reasons", record.reasons);
  write_hops(record.hops, members.begin("hops"));
  members.number("status", record.status);
  if (record.close_code != 0) members.number("close_code", record.close_code);
  members.number("bytes_sent", record.bytes_sent);
  members.number("bytes_received", record.bytes_received);
  members.number("connect_us", record.connect.count());
  members.number("first_byte_us", record.first_byte.count());
  members.number("total_us", record.total.count());
  members.text("error_code", record.error_code);
  members.text("error", record.error);
}

std::string body_of(Record const& record) {
  std::string body;
  body.reserve(1024);
  write_record(record, body);
  return body;
}

// Of a masked URL as text: there is no user in it any more.
std::string_view host_of(std::string_view url) {
  auto const scheme = url.find("://");
  if (scheme == std::string_view::npos) return {};
  url.remove_prefix(scheme + 3);
  url = url.substr(0, url.find_first_of("/?#"));
  if (auto const at = url.rfind('@'); at != std::string_view::npos) url.remove_prefix(at + 1);
  if (url.starts_with('[')) return url.substr(0, url.find(']') + 1);
  return url.substr(0, url.find(':'));
}

std::string hosts_of(std::vector<Hop> const& hops) {
  std::string hosts;
  for (auto const& hop : hops) {
    auto const host = clean(host_of(hop.url));
    auto const spaced = " " + hosts + " ";
    if (host.empty() || spaced.find(" " + host + " ") != std::string::npos) continue;
    if (!hosts.empty()) hosts += ' ';
    hosts += host;
  }
  return hosts;
}

// Reads members by name; one of another type than expected spoils the record.
class Reader {
 public:
  explicit Reader(json::Object const& object) : object_{object} {}

  std::string text(std::string_view name) {
    auto const* value = json::find(object_, name);
    if (value == nullptr) return {};
    auto const* string = value->if_string();
    return string == nullptr ? spoil<std::string>() : std::string{json::view(*string)};
  }
  template <class Number>
  Number number(std::string_view name) {
    auto const* value = json::find(object_, name);
    if (value == nullptr) return 0;
    if (auto const* large = value->if_uint64()) return narrow<Number>(*large);
    auto const* integer = value->if_int64();
    return integer == nullptr ? spoil<Number>() : narrow<Number>(*integer);
  }
  std::vector<std::string> list(std::string_view name) {
    std::vector<std::string> texts;
    for (auto const& item : array(name)) {
      auto const* string = item.if_string();
      texts.push_back(string == nullptr ? spoil<std::string>() : std::string{json::view(*string)});
    }
    return texts;
  }
  json::Array array(std::string_view name) {
    auto const* value = json::find(object_, name);
    if (value == nullptr) return {};
    return value->is_array() ? value->get_array() : spoil<json::Array>();
  }
  template <class T>
  T spoil() {
    good_ = false;
    return T{};
  }
  bool good() const { return good_; }

 private:
  template <class Number, class Wide>
  Number narrow(Wide value) {
    return std::in_range<Number>(value) ? static_cast<Number>(value) : spoil<Number>();
  }

  json::Object const& object_;
  bool good_{true};
};

bool read_hops(Reader& reader, std::vector<Hop>& hops) {
  for (auto const& item : reader.array("hops")) {
    auto const* object = item.if_object();
    if (object == nullptr) return false;
    Reader each{*object};
    hops.push_back({.url = each.text("url"),
                    .method = each.text("method"),
                    .header_names = each.list("headers"),
                    .injected = each.list("injected"),
                    .policy = each.text("policy"),
                    .resolved = each.list("resolved"),
                    .connected = each.text("connected"),
                    .status = each.number<int>("status")});
    if (!each.good()) return false;
  }
  return true;
}

Record read_plain(Reader& reader) {
  using std::chrono::microseconds;
  Record record;
  record.id = reader.text("id");
  record.request_id = reader.text("request_id");
  record.principal = reader.text("principal");
  record.issuer = reader.text("issuer");
  record.client = reader.text("client");
  record.session = reader.text("session");
  record.tool = reader.text("tool");
  record.server = reader.text("server");
  record.purpose = reader.text("purpose");
  record.execution = reader.text("execution");
  record.reasons = reader.list("reasons");
  record.status = reader.number<int>("status");
  record.close_code = reader.number<int>("close_code");
  record.bytes_sent = reader.number<std::uint64_t>("bytes_sent");
  record.bytes_received = reader.number<std::uint64_t>("bytes_received");
  record.connect = microseconds{reader.number<std::int64_t>("connect_us")};
  record.first_byte = microseconds{reader.number<std::int64_t>("first_byte_us")};
  record.total = microseconds{reader.number<std::int64_t>("total_us")};
  record.error_code = reader.text("error_code");
  record.error = reader.text("error");
  return record;
}

std::optional<StreamState> stream_state(std::string_view text) {
  for (auto const state : {StreamState::None, StreamState::Opened, StreamState::Closed}) {
    if (text == to_string(state)) return state;
  }
  return std::nullopt;
}

Error unreadable() {
  return fail(Errc::InvalidInput, "The stored record is not one that Sallyport wrote.");
}

}  // namespace

std::string_view to_string(Verdict verdict) noexcept {
  return verdict == Verdict::Allowed ? "allowed" : "denied";
}

std::string_view to_string(StreamState state) noexcept {
  switch (state) {
    case StreamState::None: return "";
    case StreamState::Opened: return "opened";
    case StreamState::Closed: return "closed";
  }
  return "";
}

StoredRecord to_stored(Record const& record) {
  return {.id = clean(record.id),
          .time = microseconds_of(record.time),
          .principal = clean(record.principal),
          .tool = clean(record.tool),
          .purpose = clean(record.purpose),
          .hosts = hosts_of(record.hops),
          .verdict = record.verdict,
          .status = record.status,
          .body = body_of(record)};
}

Result<Record> parse_record(std::string_view body) {
  auto const value = json::parse(body);
  if (!value || !value->is_object()) return unreadable();
  Reader reader{value->get_object()};
  auto record = read_plain(reader);
  auto const verdict = reader.text("verdict");
  auto const time = parse_time(reader.text("time"));
  auto const stream = stream_state(reader.text("stream"));
  bool const known = (verdict == "allowed" || verdict == "denied") && stream;
  if (!time || !known || !read_hops(reader, record.hops) || !reader.good()) return unreadable();
  record.time = *time;
  record.stream = *stream;
  record.verdict = verdict == "allowed" ? Verdict::Allowed : Verdict::Denied;
  return record;
}

}  // namespace sallyport::audit
