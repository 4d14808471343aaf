// Reading DER (X.690), piece by piece from the front. Lengths are definite and as short as they can
// be; anything else is not read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego::crypto {

using Oid = std::vector<std::uint32_t>;

class Der {
 public:
  enum Tag : std::uint8_t {
    kBoolean = 0x01,
    kInteger = 0x02,
    kBitString = 0x03,
    kOctetString = 0x04,
    kNull = 0x05,
    kOid = 0x06,
    kUtf8String = 0x0C,
    kNumericString = 0x12,
    kPrintableString = 0x13,
    kT61String = 0x14,
    kIa5String = 0x16,
    kUtcTime = 0x17,
    kGeneralizedTime = 0x18,
    kBmpString = 0x1E,
    kSequence = 0x30,
    kSet = 0x31,
  };
  // [n] of a context.
  static constexpr std::uint8_t context(unsigned number) noexcept {
    return static_cast<std::uint8_t>(0x80U | number);
  }
  static constexpr std::uint8_t constructed(unsigned number) noexcept {
    return static_cast<std::uint8_t>(0xA0U | number);
  }

  Der() = default;
  explicit Der(std::string_view bytes) : rest_{bytes} {}

  bool is_empty() const noexcept { return rest_.empty(); }
  std::string_view rest() const noexcept { return rest_; }
  bool is_next(std::uint8_t tag) const noexcept {
    return !rest_.empty() && static_cast<std::uint8_t>(rest_.front()) == tag;
  }

  // Each leaves everything as it was where it returns false.
  struct Element {
    std::uint8_t tag{0};
    std::string_view whole;    // with tag and length
    std::string_view content;  // without
  };
  bool read_any(Element& out) noexcept;
  bool read(std::uint8_t tag, Element& out) noexcept;
  bool read(std::uint8_t tag, std::string_view& content) noexcept;
  bool read(std::uint8_t tag, Der& content) noexcept;

  bool read_boolean(bool& out) noexcept;
  bool read_small_integer(std::uint8_t tag, std::int64_t& out) noexcept;
  bool read_oid(Oid& out);
  // Whole bytes; unused bits at the end are shifted out, as Go's RightAlign does.
  bool read_bits(std::string& out);

 private:
  std::string_view rest_;
};

bool parse_oid(std::string_view content, Oid& out);
std::string to_text(Oid const& oid);  // "2.5.29.15"

}  // namespace sallyport::rego::crypto
