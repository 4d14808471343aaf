// Tags to open and closed elements: implied end tags, misnesting, <svg> and <math>, without a tree.
//
// The stack of open elements is flat and at most 512 deep, and every question that a tag asks of it
// ("is a <p> open in this scope?") is answered from an index, so that each tag costs the same
// however deep it stands. What the Standard moves about (foster parenting, the adoption agency)
// stays where it was written: the text is the same.
#pragma once

#include "src/content/html/attributes.hpp"
#include "src/content/html/elements.hpp"
#include "src/content/html/tokenizer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sallyport::content::html {

inline constexpr std::size_t kMaxDepth = 512;

// Told what is in the document, in order. `depth` is below kMaxDepth, and the same at the opening
// and the closing of an element; a formatting element may be closed while later ones stay open.
class Events {
 public:
  virtual ~Events() = default;
  virtual void open(Element element, Attributes const& attributes, std::size_t depth) = 0;
  virtual void close(Element element, std::size_t depth) = 0;
  // An element without contents; or one whose contents are taken for its parent's, because it is
  // too deep or has no place there.
  virtual void leaf(Element element, Attributes const& attributes) = 0;
  // `depth` is that of the element that it stands in, plus one.
  virtual void text(std::string_view text, std::size_t depth) = 0;
  // Nothing more is wanted.
  virtual bool done() const noexcept { return false; }
};

class Structure {
 public:
  Structure(std::string_view html, Events& events) : tokenizer_{html}, events_{events} {}

  void run();

 private:
  enum class Boundary : std::uint8_t { Scope, Button, ListItem, Table, Special };
  static constexpr std::size_t kBoundaries = 5;

  // Places in the stack count from 1; 0 is none.
  struct Entry {
    Element element{Element::Unknown};
    bool foreign{false};
    bool integration{false};  // HTML inside <svg> or <math>
    bool closed{false};       // a formatting element that ended while later ones were open
    std::uint32_t name{0};
    std::uint16_t previous_same{0};
    std::array<std::uint16_t, kBoundaries> previous{};
  };

  void start_tag(Token const& token);
  void end_tag(Token const& token);
  void foreign_start_tag(Token const& token);
  void close_implied_by(Element element);
  bool place_in_table(Element element);
  void push(Token const& token, Element element, bool foreign);
  void pop();
  void close_to(std::uint16_t place);
  void close_if_within(Element element, Boundary boundary);
  void close_formatting(Element element);
  void close_by_name(Element element, std::uint32_t name, std::uint16_t above);
  void close_heading();
  void update_foreign();

  std::uint16_t innermost(Element element) const noexcept {
    return innermost_[static_cast<std::size_t>(element)];
  }
  std::uint16_t innermost(Boundary boundary) const noexcept {
    return boundary_[static_cast<std::size_t>(boundary)];
  }
  Entry const& entry(std::uint16_t place) const noexcept { return stack_[place - 1U]; }
  bool is_foreign() const noexcept {
    return size_ > 0 && entry(size_).foreign && !entry(size_).integration;
  }

  Tokenizer tokenizer_;
  Events& events_;
  std::uint16_t size_{0};
  bool drop_line_break_{false};  // the one right after <pre>
  std::array<std::uint16_t, kElementCount> innermost_{};
  std::array<std::uint16_t, kBoundaries> boundary_{};
  std::array<Entry, kMaxDepth> stack_;
};

}  // namespace sallyport::content::html
