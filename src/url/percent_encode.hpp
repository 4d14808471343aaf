// The percent-encode sets of the URL Standard, and encoding and decoding by them.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace sallyport::url {

// Bytes that are written as %XX: controls, everything beyond ASCII, and what is listed.
class EncodeSet {
 public:
  constexpr explicit EncodeSet(std::string_view listed) {
    for (unsigned c = 0; c < encoded_.size(); ++c) encoded_[c] = c < 0x20 || c > 0x7E;
    for (char const c : listed) encoded_[static_cast<unsigned char>(c)] = true;
  }

  constexpr bool has(char c) const noexcept { return encoded_[static_cast<unsigned char>(c)]; }

 private:
  std::array<bool, 256> encoded_{};
};

inline constexpr EncodeSet kControlSet{""};
inline constexpr EncodeSet kFragmentSet{" \"<>`"};
inline constexpr EncodeSet kQuerySet{" \"#<>"};
inline constexpr EncodeSet kSpecialQuerySet{" \"#<>'"};
inline constexpr EncodeSet kPathSet{" \"#<>?^`{}"};
inline constexpr EncodeSet kUserinfoSet{" \"#<>?^`{}/:;=@[\\]|"};

void append_encoded(std::string& out, std::string_view text, EncodeSet const& set);

// "%41" becomes "A"; a percent sign that two hexadecimal digits do not follow stays as it is.
std::string percent_decoded(std::string_view text);

}  // namespace sallyport::url
