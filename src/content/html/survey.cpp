#include "src/content/html/survey.hpp"

#include "src/content/html/characters.hpp"

#include <algorithm>

namespace sallyport::content::html {
namespace {

constexpr std::size_t kMaxTitle = 1024;

std::uint64_t count_visible(std::string_view text) noexcept {
  std::uint64_t count = 0;
  for (auto const c : text) count += static_cast<unsigned char>(c) > ' ' ? 1 : 0;
  return count;
}

void append_collapsed(std::string& to, std::string_view text) {
  for (auto const c : text) {
    if (to.size() >= kMaxTitle && (static_cast<unsigned char>(c) & 0xC0) != 0x80) return;
    if (c == '\0') continue;
    if (!is_space(c)) {
      to.push_back(c);
    } else if (!to.empty() && to.back() != ' ') {
      to.push_back(' ');
    }
  }
}

}  // namespace

void Survey::open(Element element, Attributes const& attributes, std::size_t depth) {
  auto& frame = frames_[depth];
  frame = depth > 0 ? frames_[depth - 1] : Frame{};
  frame.region = -1;
  if (frame.visibility == Visibility::Shown) frame.visibility = visibility_of(element, attributes);
  auto const shown = frame.visibility == Visibility::Shown;
  if (element == Element::A && attributes.has(Attribute::Href)) frame.link = true;
  if (element == Element::Select || element == Element::Textarea) frame.control = true;
  if (frame.control || element == Element::Button) ++controls_;
  if (element == Element::Title && !has_title_) in_title_ = true;
  if (shown && element == Element::H1) {
    ++now_.headings;
    in_heading_ = !has_heading_;
  }
  if (shown && !tables_.empty()) observe_in_table(element);
  if (has_trait(element, trait::kContainer)) {
    auto const kind = shown ? region_kind(element, attributes) : RegionKind::None;
    if (kind != RegionKind::None) open_region(attributes, kind, frame);
    ++containers_;
  }
}

void Survey::open_region(Attributes const& attributes, RegionKind kind, Frame& frame) {
  frame.region = static_cast<std::int32_t>(regions_.size());
  Region region{.container = containers_, .kind = kind, .before = now_, .controls = controls_};
  region.inside = open_mains_ + open_articles_ > 0;
  if (kind == RegionKind::Main) {
    region.outermost = open_mains_++ == 0;
    ++mains_;
  } else if (kind == RegionKind::Article) {
    region.outermost = open_articles_++ == 0;
  } else if (kind == RegionKind::Table) {
    if (!tables_.empty()) tables_.back().blocks = true;
    tables_.push_back({.region = static_cast<std::uint32_t>(regions_.size())});
    auto const role = attributes.raw(Attribute::Role);
    tables_.back().blocks =
        equal_ignoring_case(role, "presentation") || equal_ignoring_case(role, "none");
  }
  region.mains = mains_;
  regions_.push_back(region);
}

void Survey::close(Element element, std::size_t depth) {
  if (element == Element::Title && in_title_) {
    in_title_ = false;
    has_title_ = !title_.empty();
  }
  if (element == Element::H1 && in_heading_) {
    in_heading_ = false;
    has_heading_ = !heading_.empty();
  }
  if (is_cell(element) && !tables_.empty() && frames_[depth].visibility == Visibility::Shown) {
    auto& table = tables_.back();
    table.longest_cell = std::max(table.longest_cell, now_.text - table.cell_start);
  }
  if (frames_[depth].region < 0) return;
  close_region(regions_[static_cast<std::size_t>(frames_[depth].region)]);
}

void Survey::close_region(Region& region) {
  region.amount = now_ - region.before;
  region.controls = controls_ - region.controls;
  region.mains = mains_ - region.mains;
  region.end = static_cast<std::uint32_t>(regions_.size());
  if (region.kind == RegionKind::Main) --open_mains_;
  if (region.kind == RegionKind::Article) --open_articles_;
  if (region.kind == RegionKind::Table) {
    region.laid_out = judge_layout(tables_.back());
    tables_.pop_back();
  }
}

void Survey::observe_in_table(Element element) {
  auto& table = tables_.back();
  if (is_cell(element)) {
    table.columns = std::max(table.columns, ++table.columns_of_row);
    table.header = table.header || element == Element::Th;
    table.cell_start = now_.text;
  } else if (element == Element::Tr) {
    table.columns_of_row = 0;
  } else if (element == Element::Pre || is_heading(element)) {
    table.blocks = true;
  }
}

// One column, or what no cell of a Markdown table can hold.
bool Survey::judge_layout(OpenTable const& table) const noexcept {
  constexpr std::uint64_t kLongestCell = 2000;
  return table.blocks || (table.columns < 2 && !table.header) || table.longest_cell > kLongestCell;
}

void Survey::leaf(Element element, Attributes const& attributes) {
  if (element == Element::Input) ++controls_;
  if (element == Element::Meta) meta(attributes);
  if (element == Element::Base && base_.empty()) base_ = attributes.value(Attribute::Href);
}

void Survey::meta(Attributes const& attributes) {
  if (!social_title_.empty()) return;
  if (equal_ignoring_case(attributes.raw(Attribute::Property), "og:title") ||
      equal_ignoring_case(attributes.raw(Attribute::Name), "og:title")) {
    append_collapsed(social_title_, attributes.value(Attribute::Content));
  }
}

void Survey::text(std::string_view text, std::size_t depth) {
  if (in_title_) append_collapsed(title_, text);
  auto const& frame = depth > 0 ? frames_[depth - 1] : Frame{};
  switch (frame.visibility) {
    case Visibility::Never: return;
    case Visibility::Hidden: hidden_text_ += count_visible(text); return;
    case Visibility::Noscript: noscript_text_ += count_visible(text); return;
    case Visibility::Shown: break;
  }
  if (frame.control) return;
  if (in_heading_) append_collapsed(heading_, text);
  auto const visible = count_visible(text);
  now_.text += visible;
  if (frame.link) now_.link += visible;
}

Plan Survey::plan(bool main_content) {
  // A page that shows less than a few sentences while it hides more is built by a script: what is
  // hidden, or meant for readers without scripts, is the page.
  constexpr std::uint64_t kAlmostNothing = 400;
  Plan plan;
  plan.show_hidden = now_.text < kAlmostNothing && hidden_text_ > 2 * now_.text;
  plan.show_noscript =
      now_.text + (plan.show_hidden ? hidden_text_ : 0) < kAlmostNothing && noscript_text_ > 0;
  for (auto* const title : {&title_, &social_title_, &heading_}) {
    if (title->ends_with(' ')) title->pop_back();
    if (plan.title.empty()) plan.title = *title;
  }
  plan.base = base_;
  if (main_content && !plan.show_hidden && !plan.show_noscript) {
    choose_part(plan);
  } else {
    add_steps(plan, nullptr);
  }
  return plan;
}

}  // namespace sallyport::content::html
