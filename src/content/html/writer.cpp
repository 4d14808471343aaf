#include "src/content/html/writer.hpp"

#include "src/content/html/characters.hpp"
#include "src/content/html/markdown_escape.hpp"

#include <algorithm>

namespace sallyport::content::html {
namespace {

constexpr std::array<std::string_view, kEmphases> kMarks = {"**", "*", "~~"};

std::string_view mark_of(Emphasis emphasis) noexcept {
  return kMarks[static_cast<std::size_t>(emphasis)];
}

// Characters that nobody sees and that would stand inside words: the soft hyphen, the zero-width
// space. The no-break space counts as a space.
struct Invisible {
  std::size_t length{0};
  bool space{false};
};

Invisible invisible_at(std::string_view text, std::size_t index) noexcept {
  auto const rest = text.substr(index);
  if (rest.starts_with("\xC2\xA0")) return {2, true};
  if (rest.starts_with("\xC2\xAD")) return {2, false};
  if (rest.starts_with("\xE2\x80\x8B")) return {3, false};
  if (rest.starts_with('\0')) return {1, false};
  return {};
}

bool may_be_invisible(char c) noexcept {
  return c == '\xC2' || c == '\xE2' || c == '\0';
}

}  // namespace

Writer::Writer(HtmlFormat format, std::size_t max_output)
    : markdown_{format == HtmlFormat::Markdown}, lines_{max_output} {}

void Writer::text(std::string_view text) {
  if (pre_open_) {
    pre_.append(text);
  } else if (code_depth_ > 0) {
    code_.append(text);
  } else {
    write_escaped(text);
  }
}

void Writer::raw(std::string_view text) {
  prepare();
  out().append(text);
}

void Writer::write_escaped(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    if (is_space(text[i])) {
      space_ = true;
      ++i;
      continue;
    }
    if (may_be_invisible(text[i])) {
      auto const invisible = invisible_at(text, i);
      space_ = space_ || invisible.space;
      i += invisible.length;
      if (invisible.length > 0) continue;
    }
    auto const starts_line =
        !cell_open_ && heading_ == 0 && !in_label_ && (lines_.at_line_start() || line_breaks_ > 0);
    prepare();
    auto& to = out();
    EscapeContext const context{.in_link = link_.has_value() || in_label_, .in_cell = cell_open_};
    if (markdown_ && undecided_at_ == to.size() && !to.empty() &&
        needs_escape_before(to.back(), text.substr(i))) {
      to.insert(to.size() - 1, "\\");
    }
    if (markdown_ && starts_line) {
      auto const escape = line_start_escape(text.substr(i));
      if (escape != std::string_view::npos) {
        to.append(text.substr(i, escape)).append("\\").push_back(text[i + escape]);
        i += escape + 1;
      }
    }
    auto start = i;
    for (; i < text.size(); ++i) {
      auto const c = text[i];
      if (is_plain(c)) continue;
      // A single space between words goes along.
      if (c == ' ' && i > start && i + 1 < text.size() && is_plain(text[i + 1])) continue;
      if (is_space(c)) break;
      if (may_be_invisible(c)) {
        if (invisible_at(text, i).length > 0) break;
        continue;
      }
      if (!markdown_) continue;
      auto const before = i > start ? text[i - 1] : to.empty() ? '\n' : to.back();
      if (!needs_escape(text, i, before, context)) continue;
      to.append(text.substr(start, i - start)).push_back('\\');
      start = i;
    }
    to.append(text.substr(start, i - start));
    if (to.ends_with('<') || to.ends_with('&')) undecided_at_ = to.size();
  }
}

void Writer::prepare() {
  if (cell_open_) {
    if (cell_break_ && !cell_.empty()) {
      cell_.append(markdown_ ? "<br>" : " ");
    } else if (space_ && !cell_.empty()) {
      cell_.push_back(' ');
    }
    cell_break_ = false;
  } else if (lines_.at_line_start()) {
    lines_.begin();
    if (heading_ > 0 && !heading_marked_ && markdown_) {
      lines_.text().append(heading_, '#').push_back(' ');
    }
    heading_marked_ = true;
  } else if (line_breaks_ > 0) {
    if (markdown_) lines_.text().push_back('\\');
    lines_.next_line();
  } else if (space_) {
    lines_.text().push_back(' ');
  }
  space_ = false;
  line_breaks_ = 0;
  write_openers();
}

void Writer::write_openers() {
  for (std::size_t i = 0; i < kEmphases; ++i) {
    if (!emphases_[i].inside_link) write_opener(static_cast<Emphasis>(i));
  }
  if (link_ && !link_->written) {
    auto& to = out();
    if (markdown_) {
      if (to.ends_with('!')) to.insert(to.size() - 1, "\\");
      to.push_back('[');
    }
    link_->written = true;
    link_->start = to.size();
  }
  for (std::size_t i = 0; i < kEmphases; ++i) {
    if (emphases_[i].inside_link) write_opener(static_cast<Emphasis>(i));
  }
}

void Writer::write_opener(Emphasis emphasis) {
  auto& open = emphases_[static_cast<std::size_t>(emphasis)];
  if (open.depth == 0 || open.written) return;
  auto& to = out();
  auto const mark = mark_of(emphasis);
  open.written = true;
  written_[written_count_++] = emphasis;
  // "**a****b**" would not be read as two: the first goes on instead.
  if (closed_ == emphasis && closed_at_ == to.size() && to.ends_with(mark)) {
    to.resize(to.size() - mark.size());
  } else {
    to.append(mark);
  }
}

void Writer::open_emphasis(Emphasis emphasis) {
  if (!markdown_) return;
  auto& open = emphases_[static_cast<std::size_t>(emphasis)];
  if (open.depth++ == 0 && !open.written) open.inside_link = link_.has_value();
}

void Writer::close_emphasis(Emphasis emphasis) {
  auto& open = emphases_[static_cast<std::size_t>(emphasis)];
  if (open.depth == 0 || --open.depth > 0) return;
  // Around a link that is still open: it ends with the link.
  auto const around_link = link_ && link_->written && !open.inside_link;
  if (open.written && !around_link) write_close(emphasis);
}

// What was opened later ends here as well, and begins again with the next text.
void Writer::write_close(Emphasis emphasis) {
  while (written_count_ > 0) {
    auto const top = written_[--written_count_];
    emphases_[static_cast<std::size_t>(top)].written = false;
    out().append(mark_of(top));
    closed_ = top;
    closed_at_ = out().size();
    if (top == emphasis) return;
  }
}

void Writer::open_link(std::string url) {
  if (pre_open_ || code_depth_ > 0) return;
  if (link_) end_link();
  link_ = OpenLink{.url = std::move(url)};
}

void Writer::close_link() {
  flush_code();
  end_link();
}

void Writer::end_link() {
  if (!link_) return;
  if (link_->written && !drop_permalink() && markdown_) {
    for (auto const emphasis : {Emphasis::Strong, Emphasis::Em, Emphasis::Del}) {
      auto const& open = emphases_[static_cast<std::size_t>(emphasis)];
      if (open.inside_link && open.written) write_close(emphasis);
    }
    out().push_back(']');
    write_url(link_->url);
  }
  link_.reset();
  for (std::size_t i = 0; i < kEmphases; ++i) {
    emphases_[i].inside_link = false;
    if (emphases_[i].written && emphases_[i].depth == 0) write_close(static_cast<Emphasis>(i));
  }
}

// The "¶" after a heading that links to itself is no part of it.
bool Writer::drop_permalink() {
  if (heading_ == 0 || cell_open_) return false;
  auto& to = out();
  auto const label = std::string_view{to}.substr(std::min(link_->start, to.size()));
  if (label != "¶" && label != "#" && label != "\\#" && label != "§") return false;
  to.resize(link_->start - (markdown_ ? 1 : 0));
  if (to.ends_with(' ')) {
    to.pop_back();
    space_ = true;
  }
  return true;
}

void Writer::write_url(std::string_view url) {
  auto& to = out();
  auto const balanced =
      std::count(url.begin(), url.end(), '(') == std::count(url.begin(), url.end(), ')') &&
      url.find(')') >= url.find('(');
  to.append(balanced ? "(" : "(<").append(url).append(balanced ? ")" : ">)");
}

void Writer::write_label(std::string_view opening, std::string_view label, std::string_view url) {
  prepare();
  if (opening == "[" && out().ends_with('!')) out().insert(out().size() - 1, "\\");
  out().append(opening);
  in_label_ = true;
  write_escaped(label);
  in_label_ = false;
  space_ = false;
  out().push_back(']');
  write_url(url);
}

void Writer::image(std::string_view alt, std::string_view url) {
  if (pre_open_ || code_depth_ > 0) return;
  alt = trimmed(alt);
  if (markdown_ && !url.empty()) {
    write_label("![", alt, url);
  } else if (!alt.empty()) {
    write_escaped(alt);
  }
}

void Writer::named_link(std::string_view name, std::string_view url) {
  if (pre_open_ || code_depth_ > 0) return;
  if (markdown_ && !link_) {
    write_label("[", trimmed(name), url);
  } else {
    write_escaped(name);
  }
}

void Writer::line_break() {
  if (pre_open_) {
    pre_.push_back('\n');
  } else if (code_depth_ > 0) {
    code_.push_back(' ');
  } else if (cell_open_) {
    cell_break_ = true;
  } else if (heading_ > 0) {
    space_ = true;
  } else if (!lines_.at_line_start() && ++line_breaks_ > 1) {
    block();
  }
}

void Writer::block() {
  if (pre_open_) {
    if (!pre_.empty() && pre_.back() != '\n') pre_.push_back('\n');
    return;
  }
  if (inline_only()) {
    flush_code();
    cell_break_ = cell_open_;
    space_ = space_ || heading_ > 0;
    return;
  }
  end_inline();
  lines_.want_break(2);
}

void Writer::line() {
  if (pre_open_ || inline_only()) return block();
  end_inline();
  lines_.want_break(1);
}

void Writer::next_item() {
  if (pre_open_ || inline_only()) return block();
  end_inline();
  lines_.want_line();
}

void Writer::end_inline() {
  flush_code();
  // A link around blocks belongs to the first that has text.
  if (link_ && link_->written) end_link();
  if (written_count_ > 0) write_close(written_[0]);
  space_ = false;
  line_breaks_ = 0;
}

void Writer::open_heading(unsigned level) {
  block();
  if (inline_only() || pre_open_) return;
  heading_ = level;
  heading_marked_ = false;
}

void Writer::close_heading() {
  if (heading_ > 0) end_inline();
  heading_ = 0;
  block();
}

void Writer::rule() {
  block();
  if (pre_open_ || inline_only() || !markdown_) return;
  lines_.begin();
  lines_.text().append("---");
  block();
}

std::string Writer::finish(bool& truncated) {
  if (cell_open_) close_cell();
  if (table_) close_table();
  if (pre_open_) close_pre();
  heading_ = 0;
  end_inline();
  auto body = std::move(lines_.text());
  auto const limit = lines_.max_output();
  truncated = body.size() + 1 > limit;
  if (truncated && limit > 0) {
    body.resize(utf8_prefix(body, limit - 1).size());
    // A line that is cut short would say something that the page does not.
    auto const line_end = body.rfind('\n');
    if (line_end != std::string::npos && line_end > body.size() / 2) body.resize(line_end);
  }
  while (!body.empty() && is_space(body.back())) body.pop_back();
  if (!body.empty() && limit > 0) body.push_back('\n');
  return body;
}

}  // namespace sallyport::content::html
