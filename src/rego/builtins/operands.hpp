// Reading operands, and making texts, the way most built-ins do.
//
// Each read_… fills its last argument, or records OPA's words for what is wrong and returns false;
// the built-in then returns undefined.
#pragma once

#include "src/rego/budget.hpp"
#include "src/rego/builtin.hpp"

#include <algorithm>
#include <cstring>

namespace sallyport::rego::builtins {

inline Value operand_at(Operands operands, int position) noexcept {
  return operands[static_cast<std::size_t>(position) - 1];
}

inline bool read_string(BuiltinCall& call, Operands operands, int position, std::string_view& out) {
  auto const value = operand_at(operands, position);
  if (!value.is(Kind::String)) {
    call.wrong_type(position, "string", value);
    return false;
  }
  out = value.as_string();
  return true;
}

// Only what is written as an integer: 3.0 is not.
bool read_int(BuiltinCall& call, Operands operands, int position, std::int64_t& out);
bool read_array(BuiltinCall& call, Operands operands, int position, std::span<Value const>& out);
bool read_object(BuiltinCall& call, Operands operands, int position, std::span<Entry const>& out);
// An array or a set whose members are all strings.
bool read_strings(BuiltinCall& call, Operands operands, int position, std::span<Value const>& out);

// "operand 2 must be array of strings but got array containing number"
Value wrong_element(BuiltinCall& call, int position, Value collection, Value element,
                    std::string_view wanted);

// Long texts cost steps, so that a loop over them ends in time. False: the evaluation is over.
inline bool charge_bytes(BuiltinCall& call, std::size_t bytes) {
  if (bytes < 256) return true;
  return call.budget.charge(bytes / 256);
}

// The answer of a built-in that the budget stopped.
Value stopped(BuiltinCall& call);

// Copies the text into the arena; a halt where it is longer than a text may be.
Value make_text(BuiltinCall& call, std::string_view text);

// A text that grows in the arena. What goes beyond the longest text is dropped, and finish() then
// halts: the caller need not check as it goes, but may stop early when is_full().
class TextBuilder {
 public:
  explicit TextBuilder(BuiltinCall& call, std::size_t expected = 64)
      : call_{&call}, room_{call.arena.allocate_span<char>(std::min(expected, kMostExpected))} {}

  void append(std::string_view text) {
    if (text.size() > room_.size() - size_ && !grow(text.size())) return;
    if (!text.empty()) std::memcpy(room_.data() + size_, text.data(), text.size());
    size_ += text.size();
  }
  void append(char c) { append(std::string_view{&c, 1}); }
  void append(std::size_t count, char c);

  std::string_view view() const noexcept { return {room_.data(), size_}; }
  bool is_full() const noexcept { return full_; }
  Value finish() { return full_ ? too_long() : Value::string(view()); }

 private:
  static constexpr std::size_t kMostExpected = std::size_t{1} << 20;

  bool grow(std::size_t more);
  Value too_long();

  BuiltinCall* call_;
  std::span<char> room_;
  std::size_t size_{0};
  bool full_{false};
};

}  // namespace sallyport::rego::builtins
