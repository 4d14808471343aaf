#include "src/content/html/renderer.hpp"

#include "src/content/html/characters.hpp"
#include "src/content/html/language.hpp"

#include <fmt/format.h>

#include <algorithm>

// Each switch here is about a few elements of a hundred.
#pragma clang diagnostic ignored "-Wswitch-enum"

namespace sallyport::content::html {
namespace {

using enum Element;

std::optional<Emphasis> emphasis_of(Element element) noexcept {
  switch (element) {
    case B:
    case Strong:
    case Summary: return Emphasis::Strong;
    case I:
    case Em: return Emphasis::Em;
    case S:
    case Strike:
    case Del: return Emphasis::Del;
    default: return std::nullopt;
  }
}

bool is_code(Element e) noexcept {
  return e == Code || e == Kbd || e == Samp || e == Tt;
}
bool is_pre(Element e) noexcept {
  return e == Pre || e == Listing || e == Xmp || e == Plaintext;
}
bool is_list(Element e) noexcept {
  return e == Ul || e == Ol || e == Menu || e == Dir;
}
bool is_table_part(Element e) noexcept {
  return e == Element::Table || e == Tr || e == Tbody || e == Thead || e == Tfoot || is_cell(e);
}

// A picture of one pixel counts visitors.
bool is_tiny(Attributes const& attributes) noexcept {
  return attributes.number(Attribute::Width).value_or(100) <= 1 ||
         attributes.number(Attribute::Height).value_or(100) <= 1;
}

}  // namespace

Renderer::Renderer(HtmlOptions const& options, Plan const& plan)
    : plan_{plan}, links_{options.base, plan.base}, writer_{options.format, options.max_output} {
  for (auto const& step : plan.steps) {
    if (step.action == Action::BeginSpan || step.action == Action::BeginAndEndSpan)
      in_span_ = false;
  }
  root_.outside = plan.starts_outside && in_span_;
}

void Renderer::open(Element element, Attributes const& attributes, std::size_t depth) {
  auto& frame = frames_[depth];
  auto const& parent = depth > 0 ? frames_[depth - 1] : root_;
  frame = parent;
  frame.opened = false;
  frame.container = false;
  frame.ends_span = false;
  if (element == Element::Table) frame.laid_out = false;
  depth_ = depth + 1;
  auto const visibility = visibility_of(element, attributes);
  frame.hidden = frame.hidden || visibility == Visibility::Never ||
                 (visibility == Visibility::Hidden && !plan_.show_hidden) ||
                 (visibility == Visibility::Noscript && !plan_.show_noscript);
  if (has_trait(element, trait::kContainer)) follow_plan(frame);
  if (element == H1 && plan_.rescue_heading && !heading_rescued_ && !frame.hidden &&
      !is_given(frame)) {
    frame.rescued = true;
    heading_rescued_ = true;
  }
  if (element == Iframe && is_given(parent)) link_to("iframe", attributes);
  if (!is_given(frame)) return;
  frame.opened = true;
  open_shown(element, attributes, frame);
}

void Renderer::follow_plan(Frame& frame) {
  while (step_ < plan_.steps.size() && plan_.steps[step_].container == container_) {
    switch (plan_.steps[step_].action) {
      case Action::Drop: frame.outside = true; break;
      case Action::Enter: frame.outside = false; break;
      case Action::BeginSpan: in_span_ = true; break;
      case Action::BeginAndEndSpan: in_span_ = true; [[fallthrough]];
      case Action::EndSpan: frame.ends_span = true; break;
      case Action::LayOut: frame.laid_out = true; break;
    }
    ++step_;
  }
  ++container_;
}

void Renderer::open_shown(Element element, Attributes const& attributes, Frame& frame) {
  if (open_inline(element, attributes)) return;
  if (is_heading(element)) {
    auto const level = static_cast<unsigned>(element) - static_cast<unsigned>(H1) + 1;
    return writer_.open_heading(level);
  }
  if (is_list(element)) return open_list(element, attributes, frame);
  if (is_table_part(element)) return open_table_part(element, attributes, frame);
  if (is_pre(element)) {
    auto language = language_of(attributes);
    if (language.empty()) language = frame.language;
    frame.container = writer_.open_pre(std::string{language});
    return;
  }
  switch (element) {
    case Li: return open_item(frame);
    case Dt: writer_.block(); return;
    case Dd:
      writer_.line();
      if (!writer_.in_cell()) {
        frame.container = writer_.lines().push(writer_.is_markdown() ? ": " : "  ", "  ");
      }
      return;
    case Blockquote:
      writer_.block();
      if (writer_.is_markdown() && !writer_.in_cell() && !writer_.in_pre()) {
        frame.container = writer_.lines().push("> ", "> ");
      }
      return;
    case Video:
    case Audio: return open_media(element, attributes, frame);
    case Option: return writer_.space();
    default: break;
  }
  if (element == Div || element == Figure) {
    auto const language = language_of(attributes);
    if (!language.empty()) frame.language = language;
  }
  if (has_trait(element, trait::kBlock)) writer_.block();
  if (element == Summary) writer_.open_emphasis(Emphasis::Strong);
}

bool Renderer::open_inline(Element element, Attributes const& attributes) {
  if (auto const emphasis = emphasis_of(element); emphasis && element != Summary) {
    writer_.open_emphasis(*emphasis);
    return true;
  }
  if (is_code(element)) {
    if (writer_.in_pre()) writer_.set_language(std::string{language_of(attributes)});
    writer_.open_code();
    return true;
  }
  if (element == A) {
    auto url = attributes.has(Attribute::Href) ? links_.resolve(attributes.value(Attribute::Href))
                                               : std::nullopt;
    if (url) writer_.open_link(std::move(*url));
    return true;
  }
  if (element == Q) {
    writer_.text("\"");
    return true;
  }
  return false;
}

void Renderer::open_list(Element element, Attributes const& attributes, Frame& frame) {
  auto const nested = frame.list != Unknown && frame.item > 0;
  if (nested) {
    writer_.line();
  } else {
    writer_.block();
  }
  // Two lists in a row would be read as one, were it not for another bullet.
  auto const follows = last_list_end_ == writer_.lines().text().size() && last_list_end_ > 0;
  frame.other_bullet = follows && !last_bullet_;
  last_bullet_ = frame.other_bullet;
  frame.has_item = false;
  frame.list = element;
  frame.ordered = element == Ol;
  frame.item = frame.ordered ? attributes.number(Attribute::Start).value_or(1) : 1;
}

void Renderer::open_item(Frame& frame) {
  auto& list = depth_ > 1 ? frames_[depth_ - 2] : root_;
  auto const number = list.item++;
  if (list.has_item) {
    writer_.next_item();
  } else {
    writer_.line();
  }
  list.has_item = list.list != Unknown;
  frame.item = 1;
  if (writer_.in_pre()) return;
  auto const bullet = frame.other_bullet && writer_.is_markdown() ? "* " : "- ";
  auto const marker = frame.ordered ? fmt::format("{}. ", number) : std::string{bullet};
  if (writer_.in_cell()) {
    writer_.raw(writer_.is_markdown() ? "- " : "");
    return;
  }
  frame.container = writer_.lines().push(marker, std::string(marker.size(), ' '));
}

void Renderer::open_table_part(Element element, Attributes const& attributes, Frame& frame) {
  if (element == Element::Table) {
    frame.container = !frame.laid_out && writer_.open_table();
    if (!frame.container) {
      frame.laid_out = true;
      writer_.block();
    }
    return;
  }
  if (frame.laid_out) {
    if (is_cell(element)) return writer_.space();
    return writer_.block();
  }
  if (element == Tr) writer_.row();
  if (is_cell(element)) {
    writer_.open_cell(element == Th, attributes.number(Attribute::Colspan).value_or(1),
                      attributes.number(Attribute::Rowspan).value_or(1));
  }
}

void Renderer::close_table_part(Element element, Frame const& frame) {
  if (element == Element::Table) {
    if (frame.container) writer_.close_table();
    return writer_.block();
  }
  if (frame.laid_out) {
    if (is_cell(element)) return writer_.space();
    return writer_.block();
  }
  if (is_cell(element)) writer_.close_cell();
}

void Renderer::open_media(Element element, Attributes const& attributes, Frame& frame) {
  media_ = element == Video ? "video" : "audio";
  media_depth_ = depth_ - 1;
  // What is inside is for browsers that cannot play it.
  frame.hidden = true;
  if (attributes.has(Attribute::Src)) {
    link_to(*media_, attributes);
    media_.reset();
  }
}

void Renderer::close(Element element, std::size_t depth) {
  auto const frame = frames_[depth];
  if (depth + 1 == depth_) depth_ = depth;
  if (media_ && media_depth_ == depth) media_.reset();
  if (frame.opened) {
    if (auto const emphasis = emphasis_of(element)) writer_.close_emphasis(*emphasis);
    if (is_code(element)) {
      writer_.close_code();
    } else if (element == A) {
      writer_.close_link();
    } else if (element == Q) {
      writer_.text("\"");
    } else if (is_heading(element)) {
      writer_.close_heading();
    } else if (is_table_part(element)) {
      close_table_part(element, frame);
    } else if (is_pre(element)) {
      if (frame.container) writer_.close_pre();
    } else if (is_list(element)) {
      writer_.block();
      last_list_end_ = writer_.lines().text().size();
    } else if (element == Dt) {
      writer_.line();
    } else if (has_trait(element, trait::kBlock)) {
      writer_.block();
      if (frame.container) writer_.lines().pop();
    }
  }
  if (frame.ends_span) in_span_ = false;
}

void Renderer::leaf(Element element, Attributes const& attributes) {
  if (media_ && element == Source && attributes.has(Attribute::Src)) {
    link_to(*media_, attributes);
    media_.reset();
  }
  if (!is_given() || visibility_of(element, attributes) == Visibility::Hidden) return;
  switch (element) {
    case Br: return writer_.line_break();
    case Hr: return writer_.rule();
    case Img: return image(attributes);
    case Input: return checkbox(attributes);
    case Element::Frame: return link_to("frame", attributes);
    case Embed: return link_to("embed", attributes);
    default:
      if (has_trait(element, trait::kBlock)) writer_.block();
  }
}

void Renderer::text(std::string_view text, std::size_t depth) {
  depth_ = depth;
  if (is_given()) writer_.text(text);
}

void Renderer::image(Attributes const& attributes) {
  // alt="" says that the picture is decoration.
  auto const alt = attributes.value(Attribute::Alt);
  if (is_tiny(attributes) || (attributes.has(Attribute::Alt) && trimmed(alt).empty())) return;
  auto url = links_.resolve(attributes.value(Attribute::Src));
  if (!url) url = links_.resolve(attributes.value(Attribute::DataSrc));
  writer_.image(alt, url.value_or(""));
}

void Renderer::link_to(std::string_view name, Attributes const& attributes) {
  if (is_tiny(attributes)) return;
  auto const url = links_.resolve(attributes.value(Attribute::Src));
  if (!url || !writer_.is_markdown()) return;
  auto const title = attributes.value(Attribute::Title);
  writer_.space();
  writer_.named_link(trimmed(title).empty() ? name : title, *url);
  writer_.space();
}

void Renderer::checkbox(Attributes const& attributes) {
  if (!equal_ignoring_case(attributes.raw(Attribute::Type), "checkbox")) return;
  auto const in_item = depth_ > 0 && frames_[depth_ - 1].list != Unknown;
  if (!in_item || writer_.in_pre() || !writer_.lines().at_line_start()) return;
  writer_.raw(attributes.has(Attribute::Checked) ? "[x]" : "[ ]");
  writer_.space();
}

}  // namespace sallyport::content::html
