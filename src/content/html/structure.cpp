#include "src/content/html/structure.hpp"

#include "src/content/html/characters.hpp"

#include <algorithm>

// Each switch here is about a few elements of a hundred.
#pragma clang diagnostic ignored "-Wswitch-enum"

namespace sallyport::content::html {
namespace {

using enum Element;

// Which boundaries an element is, as bits in the order of Structure::Boundary.
unsigned boundaries_of(Element e, bool foreign, bool integration) noexcept {
  if (foreign) return integration ? 0b10111U : 0U;
  auto const traits = traits_of(e);
  unsigned bits = 0;
  if ((traits & trait::kScope) != 0) bits |= 0b00111U;
  if (e == Button) bits |= 0b00010U;
  auto const special = (traits & trait::kSpecial) != 0;
  if (special && e != Address && e != Div && e != P) bits |= 0b00100U;
  if (e == Table || e == Template) bits |= 0b01000U;
  if (special) bits |= 0b10000U;
  return bits;
}

bool is_integration_point(Token const& token) noexcept {
  switch (token.element) {
    case ForeignObject:
    case Desc:
    case Title:
    case Mi:
    case Mn:
    case Mo:
    case Ms:
    case Mtext: return true;
    case AnnotationXml: {
      auto const encoding = token.attributes.raw(Attribute::Encoding);
      return equal_ignoring_case(encoding, "text/html") ||
             equal_ignoring_case(encoding, "application/xhtml+xml");
    }
    default: return false;
  }
}

}  // namespace

void Structure::run() {
  Token token;
  while (!events_.done() && tokenizer_.next(token)) {
    switch (token.kind) {
      case Token::Kind::Text:
        if (drop_line_break_) {
          drop_line_break_ = false;
          if (token.text.starts_with('\r')) token.text.remove_prefix(1);
          if (token.text.starts_with('\n')) token.text.remove_prefix(1);
          if (token.text.empty()) break;
        }
        events_.text(token.text, size_);
        break;
      case Token::Kind::StartTag:
        drop_line_break_ = false;
        start_tag(token);
        break;
      case Token::Kind::EndTag:
        drop_line_break_ = false;
        end_tag(token);
        break;
    }
  }
  close_to(1);
}

void Structure::start_tag(Token const& token) {
  auto const element = token.element;
  if (is_foreign()) {
    if (!has_trait(element, trait::kBreakout)) return foreign_start_tag(token);
    while (is_foreign()) pop();
    update_foreign();
  }
  close_implied_by(element);
  if (!place_in_table(element) || has_trait(element, trait::kVoid) || element == Html ||
      element == Head || element == Body || element == Frameset) {
    events_.leaf(element, token.attributes);
    return;
  }
  auto const foreign = element == Svg || element == Math;
  if (foreign && token.self_closing) return;
  push(token, element, foreign);
  if (foreign) return;
  if (auto const state = text_state_of(element); state != TextState::Data) {
    tokenizer_.enter(state, element, token.text);
  }
  drop_line_break_ = element == Pre || element == Listing || element == Textarea;
}

void Structure::foreign_start_tag(Token const& token) {
  if (token.self_closing) return;
  auto const kept = token.element == Svg || token.element == Math || token.element == Annotation ||
                    token.element == AnnotationXml;
  push(token, kept ? token.element : Foreign, true);
}

// The end tags that a start tag makes unnecessary.
void Structure::close_implied_by(Element element) {
  if (has_trait(element, trait::kClosesP)) close_if_within(P, Boundary::Button);
  if (is_heading(element) && size_ > 0 && is_heading(entry(size_).element)) close_to(size_);
  auto const stop = innermost(Boundary::ListItem);
  auto const stop_element = stop > 0 ? entry(stop).element : Unknown;
  switch (element) {
    case Li:
      if (stop_element == Li) close_to(stop);
      close_if_within(P, Boundary::Button);
      break;
    case Dt:
    case Dd:
      if (stop_element == Dt || stop_element == Dd) close_to(stop);
      close_if_within(P, Boundary::Button);
      break;
    case A:
    case Nobr: close_formatting(element); break;
    case Button: close_if_within(Button, Boundary::Scope); break;
    case Option:
    case Optgroup:
      if (size_ > 0 && entry(size_).element == Option) close_to(size_);
      if (element == Optgroup && size_ > 0 && entry(size_).element == Optgroup) close_to(size_);
      break;
    case Rt:
    case Rp:
      if (size_ > 0 && (entry(size_).element == Rt || entry(size_).element == Rp)) close_to(size_);
      break;
    default: break;
  }
}

// False when the element has no place where it stands.
bool Structure::place_in_table(Element element) {
  auto const table = innermost(Boundary::Table);
  auto const in_table = table > 0 && entry(table).element == Table;
  auto const close_first_of = [&](std::initializer_list<Element> elements) {
    std::uint16_t lowest = 0;
    for (auto const e : elements) {
      auto const place = innermost(e);
      if (place > table && (lowest == 0 || place < lowest)) lowest = place;
    }
    if (lowest != 0) close_to(lowest);
  };
  switch (element) {
    case Td:
    case Th:
      if (in_table) close_first_of({Td, Th, Caption});
      return in_table;
    case Tr:
      if (in_table) close_first_of({Tr, Td, Th, Caption});
      return in_table;
    case Tbody:
    case Thead:
    case Tfoot:
    case Caption:
      if (in_table) close_first_of({Tbody, Thead, Tfoot, Tr, Td, Th, Caption});
      return in_table;
    case Table:
      if (in_table && innermost(Boundary::Scope) == table) close_to(table);
      return true;
    case Form: return !in_table || innermost(Boundary::Scope) != table;
    default: return true;
  }
}

void Structure::end_tag(Token const& token) {
  auto const element = token.element;
  auto const name = name_hash(token.text);
  if (size_ > 0 && entry(size_).foreign) {
    if (element != P && element != Br) {
      auto const root = std::max(innermost(Svg), innermost(Math));
      auto const place = size_;
      close_by_name(element == Svg || element == Math ? element : Foreign, name, root - 1U);
      if (size_ != place) return;
    } else {
      while (is_foreign()) pop();
      update_foreign();
    }
  }
  switch (element) {
    case Br: return events_.leaf(Br, token.attributes);
    case P:
      if (innermost(P) <= innermost(Boundary::Button)) return events_.leaf(P, token.attributes);
      return close_if_within(P, Boundary::Button);
    case Html:
    case Head:
    case Body: return;
    case Unknown: return close_by_name(Unknown, name, innermost(Boundary::Special));
    case Li:
      for (auto const list : {Ul, Ol, Menu, Dir}) {
        if (innermost(list) > innermost(Li)) return;
      }
      return close_if_within(Li, Boundary::Scope);
    case Td:
    case Th:
    case Tr:
    case Tbody:
    case Thead:
    case Tfoot:
    case Caption: return close_if_within(element, Boundary::Table);
    case Table:
      if (innermost(Table) != 0 && innermost(Table) == innermost(Boundary::Table)) {
        close_to(innermost(Table));
      }
      return;
    case Template:
      if (innermost(Template) != 0) close_to(innermost(Template));
      return;
    case Applet:
    case Marquee:
    case Object:
      if (innermost(element) != 0 && innermost(element) == innermost(Boundary::Scope)) {
        close_to(innermost(element));
      }
      return;
    default: break;
  }
  if (is_heading(element)) return close_heading();
  if (has_trait(element, trait::kFormatting)) return close_formatting(element);
  auto const special = has_trait(element, trait::kSpecial);
  close_if_within(element, special ? Boundary::Scope : Boundary::Special);
}

void Structure::push(Token const& token, Element element, bool foreign) {
  if (size_ == kMaxDepth) {
    events_.leaf(element, token.attributes);
    return;
  }
  auto& added = stack_[size_];
  added = {.element = element, .foreign = foreign, .name = name_hash(token.text)};
  added.integration = foreign && is_integration_point(token);
  ++size_;
  added.previous_same = innermost(element);
  innermost_[static_cast<std::size_t>(element)] = size_;
  added.previous = boundary_;
  auto const bits = boundaries_of(element, foreign, added.integration);
  for (std::size_t i = 0; i < kBoundaries; ++i) {
    if ((bits >> i & 1U) != 0) boundary_[i] = size_;
  }
  update_foreign();
  events_.open(element, token.attributes, size_ - 1U);
}

void Structure::pop() {
  auto const& top = stack_[size_ - 1U];
  boundary_ = top.previous;
  --size_;
  if (top.closed) return;
  innermost_[static_cast<std::size_t>(top.element)] = top.previous_same;
  events_.close(top.element, size_);
}

void Structure::close_to(std::uint16_t place) {
  while (size_ >= place) pop();
  while (size_ > 0 && entry(size_).closed) pop();
  update_foreign();
}

void Structure::close_if_within(Element element, Boundary boundary) {
  auto const place = innermost(element);
  // The element may be the boundary itself.
  if (place != 0 && place >= innermost(boundary)) close_to(place);
}

void Structure::close_formatting(Element element) {
  auto const place = innermost(element);
  if (place == 0 || place < innermost(Boundary::Scope)) return;
  if (place == size_) return close_to(place);
  auto& ended = stack_[place - 1U];
  ended.closed = true;
  innermost_[static_cast<std::size_t>(element)] = ended.previous_same;
  events_.close(element, place - 1U);
}

// Elements without a number of their own are told apart by name, a few deep: enough for real pages.
void Structure::close_by_name(Element element, std::uint32_t name, std::uint16_t above) {
  constexpr int kLook = 16;
  auto place = innermost(element);
  for (int i = 0; i < kLook && place > above; ++i) {
    if (entry(place).name == name) return close_to(place);
    place = entry(place).previous_same;
  }
}

void Structure::close_heading() {
  std::uint16_t place = 0;
  for (auto const heading : {H1, H2, H3, H4, H5, H6}) place = std::max(place, innermost(heading));
  if (place > innermost(Boundary::Scope)) close_to(place);
}

void Structure::update_foreign() {
  tokenizer_.set_foreign(size_ > 0 && entry(size_).foreign);
}

}  // namespace sallyport::content::html
