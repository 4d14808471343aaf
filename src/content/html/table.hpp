// The cells of one table, kept until its end tells how many columns it has.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::content::html {

class Table {
 public:
  void row();
  void cell(std::string_view text, bool header, unsigned columns, unsigned rows);

  // The lines of a GFM table; of a row each with tabs, when plain.
  std::vector<std::string> markdown() const;
  std::vector<std::string> plain() const;

 private:
  // Cells below a rowspan stay empty, in so many columns; a colspan counts for at most so many.
  static constexpr unsigned kMaxSpan = 16;

  struct Row {
    std::size_t first_cell{0};
    std::size_t cells{0};
    bool header{true};
    bool filled{false};
  };

  void add(std::string_view text);
  std::string_view cell_text(std::size_t index) const noexcept;
  std::string line(Row const& row, std::size_t columns) const;

  std::string text_;
  std::vector<std::size_t> ends_;
  std::vector<Row> rows_;
  std::array<unsigned, kMaxSpan> spans_{};  // rows that a cell above still reaches into
};

}  // namespace sallyport::content::html
