#include "src/content/html/table.hpp"

#include <algorithm>

namespace sallyport::content::html {

void Table::row() {
  if (!rows_.empty() && rows_.back().cells == 0) return;
  rows_.push_back({.first_cell = ends_.size()});
}

void Table::add(std::string_view text) {
  text_.append(text);
  ends_.push_back(text_.size());
  ++rows_.back().cells;
}

void Table::cell(std::string_view text, bool header, unsigned columns, unsigned rows) {
  if (rows_.empty()) row();
  auto column = rows_.back().cells;
  for (; column < kMaxSpan && spans_[column] > 0; ++column) {
    --spans_[column];
    add({});
  }
  auto const width = std::clamp(columns, 1U, kMaxSpan);
  for (unsigned i = 0; i < width; ++i) {
    add(i == 0 ? text : std::string_view{});
    if (column + i < kMaxSpan && rows > 1) spans_[column + i] = std::min(rows, 1000U) - 1;
  }
  rows_.back().header = rows_.back().header && header;
  rows_.back().filled = rows_.back().filled || !text.empty();
}

std::string_view Table::cell_text(std::size_t index) const noexcept {
  auto const start = index == 0 ? 0 : ends_[index - 1];
  return std::string_view{text_}.substr(start, ends_[index] - start);
}

std::string Table::line(Row const& row, std::size_t columns) const {
  std::string line = "|";
  for (std::size_t i = 0; i < std::max(row.cells, columns); ++i) {
    auto const text = i < row.cells ? cell_text(row.first_cell + i) : std::string_view{};
    line.append(" ").append(text).append(text.empty() ? "|" : " |");
  }
  return line;
}

std::vector<std::string> Table::markdown() const {
  std::vector<std::string> lines;
  std::size_t columns = 0;
  for (auto const& row : rows_) {
    if (row.filled) columns = std::max(columns, row.cells);
  }
  for (auto const& row : rows_) {
    if (!row.filled) continue;
    if (lines.empty()) {
      // A table without a header gets an empty one: its first row is no header.
      lines.push_back(line(row.header ? row : Row{}, columns));
      std::string delimiter = "|";
      for (std::size_t i = 0; i < columns; ++i) delimiter += " --- |";
      lines.push_back(std::move(delimiter));
      if (row.header) continue;
    }
    lines.push_back(line(row, 0));  // shorter rows may stay short
  }
  return lines;
}

std::vector<std::string> Table::plain() const {
  std::vector<std::string> lines;
  for (auto const& row : rows_) {
    if (!row.filled) continue;
    std::string line;
    for (std::size_t i = 0; i < row.cells; ++i) {
      if (i > 0) line.push_back('\t');
      line.append(cell_text(row.first_cell + i));
    }
    line.erase(line.find_last_not_of('\t') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace sallyport::content::html
