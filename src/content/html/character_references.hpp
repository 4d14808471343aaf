// Character references ("&amp;", "&#x20AC;", "&copy") as the HTML Standard reads them.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace sallyport::content::html {

struct CharacterReference {
  std::size_t length{0};  // of what was read, from the '&'; 0: not a reference, the '&' is text
  std::array<char, 8> bytes{};
  std::size_t size{0};

  std::string_view characters() const noexcept { return {bytes.data(), size}; }
};

enum class ReferencePlace { Text, Attribute };

// `input` begins with '&'. Looks at no more than the reference, and at most at 32 characters of a
// name.
CharacterReference read_character_reference(std::string_view input, ReferencePlace place);

// An attribute's value with its references replaced.
std::string decode_attribute(std::string_view raw);

void append_utf8(std::string& out, char32_t character);

}  // namespace sallyport::content::html
