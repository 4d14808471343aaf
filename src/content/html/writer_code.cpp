// The parts of the writer that keep text until its end: code and tables.
#include "src/content/html/characters.hpp"
#include "src/content/html/writer.hpp"

#include <algorithm>

namespace sallyport::content::html {
namespace {

std::size_t longest_run(std::string_view text, char wanted) noexcept {
  std::size_t longest = 0;
  std::size_t run = 0;
  for (auto const c : text) {
    run = c == wanted ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

std::string collapsed(std::string_view text) {
  std::string result;
  for (auto const c : text) {
    if (c == '\0') continue;
    if (!is_space(c)) {
      result.push_back(c);
    } else if (!result.empty() && result.back() != ' ') {
      result.push_back(' ');
    }
  }
  if (result.ends_with(' ')) result.pop_back();
  return result;
}

// Line ends as '\n', no-break spaces as spaces.
std::string normalised_lines(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') {
      if (i + 1 >= text.size() || text[i + 1] != '\n') result.push_back('\n');
    } else if (text.substr(i, 2) == "\xC2\xA0") {
      result.push_back(' ');
      ++i;
    } else if (text[i] != '\0') {
      result.push_back(text[i]);
    }
  }
  while (!result.empty() && is_space(result.back())) result.pop_back();
  auto const content = result.find_first_not_of(" \t\f\n");
  auto const line_start = content == std::string::npos ? content : result.rfind('\n', content);
  return line_start == std::string::npos ? result : result.substr(line_start + 1);
}

}  // namespace

void Writer::open_code() {
  if (!pre_open_) ++code_depth_;
}

void Writer::close_code() {
  if (code_depth_ > 0 && --code_depth_ == 0) {
    ++code_depth_;
    flush_code();
    code_depth_ = 0;
  }
}

void Writer::flush_code() {
  if (code_depth_ == 0 || code_.empty()) return;
  auto const inside = collapsed(code_);
  space_ = space_ || is_space(code_.front());
  auto const space_after = is_space(code_.back());
  code_.clear();
  if (!inside.empty()) {
    prepare();
    if (markdown_) {
      std::string const fence(longest_run(inside, '`') + 1, '`');
      auto const padding = inside.front() == '`' || inside.back() == '`' ? " " : "";
      out().append(fence).append(padding);
      for (auto const c : inside) {
        if (c == '|' && cell_open_) out().push_back('\\');
        out().push_back(c);
      }
      out().append(padding).append(fence);
    } else {
      out().append(inside);
    }
  }
  space_ = space_ || space_after;
}

bool Writer::open_pre(std::string language) {
  block();
  if (pre_open_ || inline_only()) return false;
  code_depth_ = 0;
  pre_open_ = true;
  language_ = std::move(language);
  return true;
}

void Writer::set_language(std::string language) {
  if (pre_open_ && language_.empty()) language_ = std::move(language);
}

void Writer::close_pre() {
  pre_open_ = false;
  auto const code = normalised_lines(pre_);
  pre_.clear();
  if (code.empty()) return;
  lines_.begin();
  std::string const fence(std::max<std::size_t>(longest_run(code, '`') + 1, 3), '`');
  if (markdown_) lines_.text().append(fence).append(language_);
  auto first = !markdown_;
  for (std::size_t start = 0; start <= code.size();) {
    auto const end = std::min(code.find('\n', start), code.size());
    auto line = std::string_view{code}.substr(start, end - start);
    while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
    if (!first && line.empty()) {
      lines_.blank_line();
    } else {
      if (!first) lines_.next_line();
      lines_.text().append(line);
    }
    first = false;
    start = end + 1;
  }
  if (markdown_) {
    lines_.next_line();
    lines_.text().append(fence);
  }
  block();
}

bool Writer::open_table() {
  block();
  if (pre_open_ || inline_only() || table_) return false;
  table_.emplace();
  return true;
}

void Writer::row() {
  if (table_) table_->row();
}

void Writer::open_cell(bool header, unsigned columns, unsigned rows) {
  if (!table_ || cell_open_ || pre_open_) return;
  end_inline();
  heading_ = 0;
  cell_open_ = true;
  cell_break_ = false;
  cell_header_ = header;
  cell_columns_ = columns;
  cell_rows_ = rows;
  cell_.clear();
  closed_at_ = 0;
}

void Writer::close_cell() {
  if (!cell_open_) return;
  end_inline();
  table_->cell(cell_, cell_header_, cell_columns_, cell_rows_);
  cell_open_ = false;
  cell_break_ = false;
  closed_at_ = 0;
}

void Writer::close_table() {
  if (!table_) return;
  block();
  auto const rows = markdown_ ? table_->markdown() : table_->plain();
  table_.reset();
  for (auto const& row : rows) {
    if (lines_.at_line_start()) {
      lines_.begin();
    } else {
      lines_.next_line();
    }
    lines_.text().append(row);
  }
  block();
}

}  // namespace sallyport::content::html
