// Reading of TZif files (RFC 8536).
#include "src/rego/time/zone.hpp"

#include <cstddef>

namespace sallyport::rego::time {
namespace {

// Bytes from the front; once there are too few, everything is zero and `failed` says so.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_{bytes} {}

  std::string_view take(std::size_t count) {
    if (count > rest_.size()) {
      failed_ = true;
      return {};
    }
    auto const taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }

  std::uint64_t big_endian(std::size_t width) {
    std::uint64_t value = 0;
    for (auto const c : take(width)) value = value << 8U | static_cast<unsigned char>(c);
    return value;
  }

  bool failed() const noexcept { return failed_; }
  std::string_view rest() const noexcept { return rest_; }

 private:
  std::string_view rest_;
  bool failed_{false};
};

struct Header {
  char version{0};
  std::size_t universal{0};
  std::size_t standard{0};
  std::size_t leaps{0};
  std::size_t times{0};
  std::size_t kinds{0};
  std::size_t characters{0};

  std::size_t body_size(std::size_t time_width) const noexcept {
    return times * (time_width + 1) + kinds * 6 + characters + leaps * (time_width + 4) + standard +
           universal;
  }
};

std::optional<Header> read_header(Bytes& bytes) {
  if (bytes.take(4) != "TZif") return std::nullopt;
  Header header;
  header.version = static_cast<char>(bytes.big_endian(1));
  bytes.take(15);
  for (auto* const count : {&header.universal, &header.standard, &header.leaps, &header.times,
                            &header.kinds, &header.characters}) {
    *count = bytes.big_endian(4);
  }
  if (bytes.failed() || header.kinds == 0) return std::nullopt;
  return header;
}

}  // namespace

class TzifReader {
 public:
  explicit TzifReader(std::string_view bytes) : bytes_{bytes} {}

  std::unique_ptr<Zone const> read() {
    auto header = read_header(bytes_);
    if (!header) return nullptr;
    std::size_t width = 4;
    if (header->version >= '2') {
      // The first block is for readers that know no other.
      bytes_.take(header->body_size(4));
      header = read_header(bytes_);
      if (!header) return nullptr;
      width = 8;
    }
    if (header->body_size(width) > bytes_.rest().size()) return nullptr;
    auto zone = std::make_unique<Zone>();
    if (!read_body(*header, width, *zone)) return nullptr;
    if (header->version >= '2') read_footer(*zone);
    return zone;
  }

 private:
  bool read_body(Header const& header, std::size_t width, Zone& zone) {
    auto times = Bytes{bytes_.take(header.times * width)};
    auto indexes = Bytes{bytes_.take(header.times)};
    auto kinds = Bytes{bytes_.take(header.kinds * 6)};
    auto const names = bytes_.take(header.characters);
    bytes_.take(header.leaps * (width + 4) + header.standard + header.universal);
    for (std::size_t i = 0; i < header.kinds; ++i) {
      auto const offset = static_cast<std::int32_t>(kinds.big_endian(4));
      auto const is_daylight = kinds.big_endian(1) != 0;
      auto const name = kinds.big_endian(1);
      if (name >= names.size()) return false;
      auto const tail = names.substr(name);
      zone.kinds_.push_back({offset, is_daylight, std::string{tail.substr(0, tail.find('\0'))}});
    }
    for (std::size_t i = 0; i < header.times; ++i) {
      auto const raw = times.big_endian(width);
      auto const at = width == 8 ? static_cast<std::int64_t>(raw)
                                 : std::int64_t{static_cast<std::int32_t>(raw)};
      auto const kind = indexes.big_endian(1);
      if (kind >= header.kinds) return false;
      if (!zone.transitions_.empty() && at <= zone.transitions_.back().at) return false;
      zone.transitions_.push_back({at, kind});
    }
    return !bytes_.failed();
  }

  void read_footer(Zone& zone) const {
    auto const footer = bytes_.rest();
    if (footer.size() < 3 || footer.front() != '\n') return;
    auto const end = footer.find('\n', 1);
    if (end == std::string_view::npos) return;
    zone.after_last_ = PosixRule::parse(footer.substr(1, end - 1));
  }

  Bytes bytes_;
};

std::unique_ptr<Zone const> Zone::from_tzif(std::string_view bytes) {
  return TzifReader{bytes}.read();
}

}  // namespace sallyport::rego::time
