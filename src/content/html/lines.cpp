#include "src/content/html/lines.hpp"

#include <algorithm>

namespace sallyport::content::html {
namespace {

// Eight to sixteen levels. Beyond, the levels are flattened.
constexpr std::size_t kMaxPrefix = 32;

}  // namespace

bool Lines::push(std::string_view marker, std::string_view later) {
  if (prefix_size_ + marker.size() > kMaxPrefix) return false;
  containers_.push_back({.marker = std::string{marker}, .later = std::string{later}});
  prefix_size_ += marker.size();
  return true;
}

void Lines::pop() {
  prefix_size_ -= containers_.back().marker.size();
  containers_.pop_back();
  common_ = std::min(common_, containers_.size());
}

void Lines::want_break(unsigned line_breaks) noexcept {
  // The first block of an item stands right after its marker.
  if (!containers_.empty() && !containers_.back().marked) return;
  if (!text_.empty()) breaks_ = std::max(breaks_, line_breaks);
}

void Lines::begin() {
  if (!at_line_start()) return;
  for (unsigned i = 0; i < breaks_; ++i) {
    if (i > 0) write_prefix(common_, true);
    text_.push_back('\n');
  }
  breaks_ = 0;
  write_prefix(containers_.size(), false);
  common_ = containers_.size();
}

void Lines::next_line() {
  text_.push_back('\n');
  write_prefix(containers_.size(), false);
}

void Lines::blank_line() {
  text_.push_back('\n');
  write_prefix(containers_.size(), true);
}

void Lines::write_prefix(std::size_t containers, bool blank) {
  for (std::size_t i = 0; i < containers; ++i) {
    auto& container = containers_[i];
    text_.append(container.marked || blank ? container.later : container.marker);
    if (!blank) container.marked = true;
  }
  if (!blank) return;
  while (!text_.empty() && text_.back() == ' ') text_.pop_back();
}

}  // namespace sallyport::content::html
