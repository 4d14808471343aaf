// What of a call's input a policy may read, of that which the audit log does not keep.
//
// By the words of its text, and never less than it does read: a policy that looks at its input as a
// whole, or by a name that it computes, may read all of it.
#pragma once

#include "src/policy/rego_source.hpp"

#include <array>
#include <cstddef>
#include <string_view>

namespace sallyport::app {

enum class Unrecorded { HeaderValues, MaskedUrl, Scopes, InjectionFailed, Session };

inline constexpr std::array kUnrecorded{Unrecorded::HeaderValues, Unrecorded::MaskedUrl,
                                        Unrecorded::Scopes, Unrecorded::InjectionFailed,
                                        Unrecorded::Session};

std::string_view name_of(Unrecorded what) noexcept;   // "header_values"
std::string_view in_words(Unrecorded what) noexcept;  // "values of headers"

// One bool for each.
class PolicyReads {
 public:
  static PolicyReads of(policy::RegoFiles const& files);

  bool may_read(Unrecorded what) const noexcept { return reads_[static_cast<std::size_t>(what)]; }

 private:
  void look_at(std::string_view text);
  void look_at_word(std::string_view word, std::string_view before, std::string_view after);
  void add(Unrecorded what) noexcept { reads_[static_cast<std::size_t>(what)] = true; }

  std::array<bool, kUnrecorded.size()> reads_{};
};

}  // namespace sallyport::app
