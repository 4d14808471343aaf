// Which part of the page the survey gives: the page's own content, or all when that is in doubt.
#include "src/content/html/survey.hpp"

#include <algorithm>

namespace sallyport::content::html {
namespace {

// Less than this is a greeting or "Loading…", whatever the tags around it say.
constexpr std::uint64_t kLeastText = 200;
// With less prose than this a page is made of links (a listing, an index): those count then.
constexpr std::uint64_t kLeastProse = 500;

}  // namespace

bool Survey::is_chrome(Region const& region) const noexcept {
  auto const& amount = region.amount;
  if (region.mains > 0) return false;
  // Whoever puts half of the page's prose into an <aside> or a <form> means it.
  auto const page = now_.prose() >= kLeastProse ? now_.prose() : now_.text;
  auto const own = now_.prose() >= kLeastProse ? amount.prose() : amount.text;
  if (region.kind != RegionKind::Navigation && own * 2 > page) return false;
  auto const mostly_links = amount.link * 2 > amount.text;
  switch (region.kind) {
    case RegionKind::Navigation: return mostly_links || own * 3 < page;
    case RegionKind::Header: return !region.inside || (mostly_links && amount.headings == 0);
    case RegionKind::Footer:
    case RegionKind::Aside: return !region.inside || mostly_links;
    case RegionKind::Form: return region.controls > 0 && amount.text < kLeastProse;
    case RegionKind::Banner: return !region.inside && own * 4 < page;
    case RegionKind::Menu: return mostly_links;
    case RegionKind::None:
    case RegionKind::Main:
    case RegionKind::Article:
    case RegionKind::Table: return false;
  }
  return false;
}

Survey::Span Survey::article_span() const noexcept {
  Span span;
  for (std::size_t i = 0; i < regions_.size();) {
    auto const& region = regions_[i];
    if (region.kind == RegionKind::Article && region.outermost) {
      if (span.first == nullptr) span.first = &region;
      span.last = &region;
    }
    i = is_chrome(region) ? region.end : i + 1;
  }
  return span;
}

Amount Survey::amount_of(Part part) const {
  Amount kept = part == Part::NotChrome ? now_ : Amount{};
  std::uint64_t span_start = 0;
  std::uint64_t span_end = 0;
  if (part == Part::Articles) {
    auto const [first, last] = article_span();
    if (first == nullptr) return kept;
    auto end = last->before;
    end += last->amount;
    kept = end - first->before;
    span_start = first->before.text;
    span_end = end.text;
  }
  std::size_t main_end = 0;
  for (std::size_t i = 0; i < regions_.size();) {
    auto const& region = regions_[i];
    auto const chrome = is_chrome(region);
    auto const within = part == Part::NotChrome || (part == Part::Main && i < main_end) ||
                        (part == Part::Articles && region.before.text >= span_start &&
                         region.before.text + region.amount.text <= span_end);
    if (chrome && within) kept -= region.amount;
    if (part == Part::Main && !chrome && region.kind == RegionKind::Main && region.outermost) {
      kept += region.amount;
      main_end = region.end;
    }
    i = chrome ? region.end : i + 1;
  }
  return kept;
}

bool Survey::suffices(Amount const& part, Amount const& whole, unsigned percent) const noexcept {
  if (part.text < kLeastText && part.text * 2 < whole.text) return false;
  auto const by_prose = whole.prose() >= kLeastProse;
  auto const have = by_prose ? part.prose() : part.text;
  auto const all = by_prose ? whole.prose() : whole.text;
  return have > 0 && have * 100 >= all * percent;
}

void Survey::choose_part(Plan& plan) const {
  auto const page = amount_of(Part::NotChrome);
  // <main> is the author's word; an <article> may be a teaser; what is left without navigation and
  // the like may be the lesser part of a page with long legal notes.
  struct Choice {
    Part part{Part::Main};
    Amount amount;
    Amount whole;
    unsigned percent{0};
  };
  std::array const choices = {
      Choice{Part::Main, amount_of(Part::Main), page, 35},
      Choice{Part::Articles, amount_of(Part::Articles), page, 50},
      Choice{Part::NotChrome, page, now_, 30},
  };
  for (auto const& choice : choices) {
    if (!suffices(choice.amount, choice.whole, choice.percent)) continue;
    if (choice.part != Part::NotChrome && !suffices(choice.amount, now_, 15)) continue;
    plan.whole_page = choice.amount.text == now_.text;
    plan.rescue_heading = choice.amount.headings == 0 && now_.headings > 0;
    add_steps(plan, plan.whole_page ? nullptr : &choice.part);
    return;
  }
  add_steps(plan, nullptr);
}

void Survey::add_steps(Plan& plan, Part const* part) const {
  auto const add = [&](Region const& region, Action action) {
    plan.steps.push_back({.container = region.container, .action = action});
  };
  auto const [first, last] = article_span();
  auto const span = part != nullptr && *part == Part::Articles;
  plan.starts_outside = part != nullptr && *part != Part::NotChrome;
  for (auto const& region : regions_) {
    if (region.laid_out) add(region, Action::LayOut);
    if (part == nullptr) continue;
    if (is_chrome(region)) {
      add(region, Action::Drop);
    } else if (*part == Part::Main && region.kind == RegionKind::Main && region.outermost) {
      add(region, Action::Enter);
    } else if (span && &region == first && first == last) {
      add(region, Action::BeginAndEndSpan);
    } else if (span && &region == first) {
      add(region, Action::BeginSpan);
    } else if (span && &region == last) {
      add(region, Action::EndSpan);
    }
  }
}

}  // namespace sallyport::content::html
