#include "src/rego/builtins/glob_pattern.hpp"

#include "src/rego/budget.hpp"
#include "src/rego/builtins/glob_parser.hpp"
#include "src/rego/builtins/runes.hpp"

#include <algorithm>

namespace sallyport::rego::builtins {

void Delimiters::add(char32_t rune) {
  if (rune < 0x80) {
    ascii_.set(rune);
    has_ascii_ = true;
  } else if (!has(rune)) {
    others_ += rune;
  }
}

bool Delimiters::are_in(std::string_view text) const noexcept {
  if (others_.empty()) {
    return std::ranges::any_of(text, [this](char c) {
      auto const byte = static_cast<unsigned char>(c);
      return byte < 0x80 && ascii_.test(byte);
    });
  }
  for (; !text.empty(); text.remove_prefix(first_rune(text).width)) {
    if (has(first_rune(text).code)) return true;
  }
  return false;
}

std::unique_ptr<Glob const> Glob::compile(std::string_view pattern, Delimiters delimiters,
                                          std::string& error) {
  auto const nodes = parse_glob(pattern, error);
  if (!nodes) return nullptr;
  std::unique_ptr<Glob> glob{new Glob{std::move(delimiters)}};
  glob->build(*nodes);
  return glob;
}

namespace {

std::string utf8(std::u32string_view runes) {
  std::string text;
  for (auto const rune : runes) text += encode(rune).view();
  return text;
}

bool is(GlobNode const& node, GlobNode::Kind kind) noexcept {
  return node.kind == kind;
}

}  // namespace

// Literals at both ends are compared before anything else; where only one star is between them,
// there is no program.
void Glob::build(std::vector<GlobNode> const& nodes) {
  auto first = nodes.begin();
  auto last = nodes.end();
  if (first != last && is(*first, GlobNode::Kind::Text)) prefix_ = utf8((first++)->runes);
  if (first != last && is(last[-1], GlobNode::Kind::Text)) suffix_ = utf8((--last)->runes);
  if (first == last) return;
  if (last - first == 1 && is(*first, GlobNode::Kind::Super)) {
    between_ = Between::Anything;
  } else if (last - first == 1 && is(*first, GlobNode::Kind::Any)) {
    between_ = delimiters_.empty() ? Between::Anything : Between::Undivided;
  } else {
    between_ = Between::Program;
    emit({first, last});
  }
}

void Glob::emit(std::vector<GlobNode> const& nodes) {
  for (auto const& node : nodes) {
    switch (node.kind) {
      case GlobNode::Kind::Text:
        for (auto const rune : node.runes) program_.push_back({.op = Op::Rune, .low = rune});
        break;
      case GlobNode::Kind::Any:
        program_.push_back({.op = Op::Loop, .undivided = !delimiters_.empty()});
        break;
      case GlobNode::Kind::Super: program_.push_back({.op = Op::Loop}); break;
      case GlobNode::Kind::Single: program_.push_back({.op = Op::NotDelimiter}); break;
      case GlobNode::Kind::Range:
        program_.push_back(
            {.op = node.negated ? Op::NotRange : Op::Range, .low = node.low, .high = node.high});
        break;
      case GlobNode::Kind::List: {
        auto const begin = static_cast<char32_t>(runes_.size());
        runes_ += node.runes;
        program_.push_back({.op = node.negated ? Op::NotList : Op::List,
                            .low = begin,
                            .next = static_cast<std::uint32_t>(runes_.size())});
        break;
      }
      case GlobNode::Kind::Alternatives: emit_alternatives(node); break;
    }
  }
}

// fork A2; A1; jump END; A2: fork A3; …; An; END:
void Glob::emit_alternatives(GlobNode const& node) {
  std::vector<std::size_t> jumps;
  for (std::size_t i = 0; i < node.alternatives.size(); ++i) {
    auto const fork = program_.size();
    auto const is_last = i + 1 == node.alternatives.size();
    if (!is_last) program_.push_back({.op = Op::Fork});
    emit(node.alternatives[i]);
    if (is_last) break;
    jumps.push_back(program_.size());
    program_.push_back({.op = Op::Jump});
    program_[fork].next = static_cast<std::uint32_t>(program_.size());
  }
  for (auto const jump : jumps) program_[jump].next = static_cast<std::uint32_t>(program_.size());
}

bool Glob::takes(Instruction const& instruction, char32_t rune) const noexcept {
  auto const in_list = [&] {
    return std::u32string_view{runes_}
               .substr(instruction.low, instruction.next - instruction.low)
               .find(rune) != std::u32string_view::npos;
  };
  auto const in_range = rune >= instruction.low && rune <= instruction.high;
  switch (instruction.op) {
    case Op::Rune: return rune == instruction.low;
    case Op::NotDelimiter: return !delimiters_.has(rune);
    case Op::Range: return in_range;
    case Op::NotRange: return !in_range;
    case Op::List: return in_list();
    case Op::NotList: return !in_list();
    case Op::Loop: return !instruction.undivided || !delimiters_.has(rune);
    case Op::Fork:
    case Op::Jump: return false;
  }
  return false;
}

// The states that the automaton is in, and those that it is in after the next rune.
class Glob::Run {
 public:
  Run(Glob const& glob, Arena& arena)
      : glob_{glob},
        now_{arena.allocate_span<std::uint32_t>(glob.program_.size() + 1)},
        then_{arena.allocate_span<std::uint32_t>(glob.program_.size() + 1)},
        pending_{arena.allocate_span<std::uint32_t>(glob.program_.size() + 2)},
        seen_{arena.allocate_span<std::uint32_t>(glob.program_.size() + 1)} {
    std::ranges::fill(seen_, 0);
    enter(0);
    swap();
  }

  void step(char32_t rune) {
    for (auto const state : now_.first(count_)) {
      if (state == glob_.program_.size()) continue;
      auto const& instruction = glob_.program_[state];
      if (!glob_.takes(instruction, rune)) continue;
      enter(instruction.op == Op::Loop ? state : state + 1);
    }
    swap();
  }

  std::size_t count() const noexcept { return count_; }
  bool is_match() const noexcept {
    return std::ranges::find(now_.first(count_), glob_.program_.size()) != now_.first(count_).end();
  }

 private:
  // A state and those that can be reached from it without a rune.
  void enter(std::size_t state) {
    std::size_t waiting = 0;
    auto const wait = [&](std::size_t next) {
      if (seen_[next] == round_) return;
      seen_[next] = round_;
      pending_[waiting++] = static_cast<std::uint32_t>(next);
    };
    wait(state);
    while (waiting != 0) {
      auto const next = pending_[--waiting];
      if (next != glob_.program_.size()) {
        auto const& instruction = glob_.program_[next];
        if (instruction.op == Op::Fork || instruction.op == Op::Jump) wait(instruction.next);
        if (instruction.op == Op::Fork || instruction.op == Op::Loop) wait(next + 1);
        if (instruction.op == Op::Fork || instruction.op == Op::Jump) continue;
      }
      then_[then_count_++] = next;
    }
  }

  void swap() {
    std::swap(now_, then_);
    count_ = then_count_;
    then_count_ = 0;
    ++round_;
  }

  Glob const& glob_;
  std::span<std::uint32_t> now_;
  std::span<std::uint32_t> then_;
  std::span<std::uint32_t> pending_;
  std::span<std::uint32_t> seen_;  // in which round a state was entered last
  std::size_t count_{0};
  std::size_t then_count_{0};
  std::uint32_t round_{1};
};

Glob::Answer Glob::matches(BuiltinCall& call, std::string_view text) const {
  auto const answer = [](bool yes) { return yes ? Answer::Yes : Answer::No; };
  if (text.size() < prefix_.size() + suffix_.size() || !text.starts_with(prefix_) ||
      !text.ends_with(suffix_)) {
    return Answer::No;
  }
  text.remove_prefix(prefix_.size());
  text.remove_suffix(suffix_.size());
  switch (between_) {
    case Between::Nothing: return answer(text.empty());
    case Between::Anything: return Answer::Yes;
    case Between::Undivided: return answer(!delimiters_.are_in(text));
    case Between::Program: break;
  }
  Run run{*this, call.arena};
  while (!text.empty() && run.count() != 0) {
    if (!call.budget.charge(1 + run.count() / 16)) return Answer::OutOfBudget;
    auto const rune = first_rune(text);
    run.step(rune.code);
    text.remove_prefix(rune.width);
  }
  return answer(text.empty() && run.is_match());
}

}  // namespace sallyport::rego::builtins
