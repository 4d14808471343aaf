// The attributes of one start tag that somebody asks for; the others are read and forgotten.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::content::html {

// clang-format off
enum class Attribute : std::uint8_t {
  Alt, Alttext, AriaHidden, Checked, Class, Colspan, Content, DataLang, DataSrc, Encoding, Height,
  Hidden, Href, Id, Name, Property, Role, Rowspan, ShadowRootMode, Src, Start, Style, Title, Type,
  Width,
};
// clang-format on
inline constexpr std::size_t kAttributeCount = static_cast<std::size_t>(Attribute::Width) + 1;

class Attributes {
 public:
  void clear() noexcept { present_ = 0; }
  // The first of a name counts, as the Standard says.
  void add(std::string_view name, std::string_view raw) noexcept;

  bool has(Attribute attribute) const noexcept { return (present_ & bit(attribute)) != 0; }
  // As it stands in the document; empty when absent.
  std::string_view raw(Attribute attribute) const noexcept {
    return has(attribute) ? raw_[static_cast<std::size_t>(attribute)] : std::string_view{};
  }
  // With its character references replaced.
  std::string value(Attribute attribute) const;
  // The number that the value begins with.
  std::optional<unsigned> number(Attribute attribute) const noexcept;

 private:
  static constexpr std::uint32_t bit(Attribute attribute) noexcept {
    return 1U << static_cast<unsigned>(attribute);
  }

  std::uint32_t present_{0};
  std::array<std::string_view, kAttributeCount> raw_;
};

}  // namespace sallyport::content::html
