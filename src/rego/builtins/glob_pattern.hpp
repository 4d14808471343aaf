// A compiled glob, with the language of OPA's glob.match:
//
//   *   any runes but delimiters      ?      one rune that is no delimiter
//   **  any runes                     [abc]  one of these; [!abc] one other
//   {a,b*}  one of these patterns     [a-c]  one between these; [!a-c] one other
//   \x  the rune x
//
// Departs from OPA's library where that has errors: there "?" alone also matches the empty text,
// and "ab*ba" matches "aba".
#pragma once

#include "src/rego/builtin.hpp"

#include <bitset>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego::builtins {

class Delimiters {
 public:
  void add(char32_t rune);
  bool empty() const noexcept { return !has_ascii_ && others_.empty(); }
  bool has(char32_t rune) const noexcept {
    return rune < 0x80 ? ascii_.test(rune) : others_.find(rune) != std::u32string::npos;
  }
  // Whether one of them is in the text.
  bool are_in(std::string_view text) const noexcept;

 private:
  std::bitset<0x80> ascii_;
  bool has_ascii_{false};
  std::u32string others_;
};

struct GlobNode;  // glob_parser.hpp

class Glob final : public Prepared {
 public:
  // Null with the reason in `error`.
  static std::unique_ptr<Glob const> compile(std::string_view pattern, Delimiters delimiters,
                                             std::string& error);

  enum class Answer : std::uint8_t { No, Yes, OutOfBudget };
  Answer matches(BuiltinCall& call, std::string_view text) const;

 private:
  enum class Between : std::uint8_t {
    Nothing,    // the pattern is its prefix
    Undivided,  // anything without a delimiter
    Anything,   //
    Program,    // whatever the program takes
  };

  enum class Op : std::uint8_t {
    Rune,
    NotDelimiter,
    Range,
    NotRange,
    List,
    NotList,
    Loop,
    Fork,
    Jump
  };
  // Instructions of an automaton whose states are all tried at once: linear in the text for any
  // pattern. `next` is the other way of a Fork, the way of a Jump, and the end of a List in
  // `runes_`.
  struct Instruction {
    Op op;
    bool undivided{false};  // of a Loop: stops at delimiters
    char32_t low{0};        // or where a List begins in `runes_`
    char32_t high{0};
    std::uint32_t next{0};
  };
  class Run;

  explicit Glob(Delimiters delimiters) : delimiters_{std::move(delimiters)} {}
  void build(std::vector<GlobNode> const& nodes);
  void emit(std::vector<GlobNode> const& nodes);
  void emit_alternatives(GlobNode const& node);
  bool takes(Instruction const& instruction, char32_t rune) const noexcept;

  Delimiters delimiters_;
  std::string prefix_;
  std::string suffix_;
  Between between_{Between::Nothing};
  std::vector<Instruction> program_;  // a match where it ends
  std::u32string runes_;
};

}  // namespace sallyport::rego::builtins
