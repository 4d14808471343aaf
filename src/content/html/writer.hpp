// Text, emphasis, links, code and cells to Markdown or to plain text.
#pragma once

#include "src/content/html.hpp"
#include "src/content/html/lines.hpp"
#include "src/content/html/table.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::content::html {

enum class Emphasis : std::uint8_t { Strong, Em, Del };
inline constexpr std::size_t kEmphases = 3;

class Writer {
 public:
  Writer(HtmlFormat format, std::size_t max_output);

  // Running text; white space collapses.
  void text(std::string_view text);
  // Markup of our own or text that must stay as it is.
  void raw(std::string_view text);
  void space() noexcept { space_ = true; }
  void line_break();

  // A new block, or a new line, before what comes next; inside a heading or a cell, less.
  void block();
  void line();
  // The next item of a list: no blank line between them.
  void next_item();

  void open_emphasis(Emphasis emphasis);
  void close_emphasis(Emphasis emphasis);
  void open_link(std::string url);
  void close_link();
  void image(std::string_view alt, std::string_view url);
  void named_link(std::string_view name, std::string_view url);

  void open_heading(unsigned level);
  void close_heading();
  void rule();

  void open_code();
  void close_code();
  // False where a block of code has no place; its text is running text then.
  bool open_pre(std::string language);
  void set_language(std::string language);
  void close_pre();
  bool in_pre() const noexcept { return pre_open_; }

  bool open_table();
  void close_table();
  void row();
  void open_cell(bool header, unsigned columns, unsigned rows);
  void close_cell();
  bool in_cell() const noexcept { return cell_open_; }

  Lines& lines() noexcept { return lines_; }
  bool is_markdown() const noexcept { return markdown_; }
  bool full() const noexcept { return lines_.full(); }

  // What was written, ended and within the limit.
  std::string finish(bool& truncated);

 private:
  struct OpenEmphasis {
    unsigned depth{0};
    bool written{false};
    bool inside_link{false};
  };
  struct OpenLink {
    std::string url;
    bool written{false};
    std::size_t start{0};
  };

  std::string& out() noexcept { return cell_open_ ? cell_ : lines_.text(); }
  bool inline_only() const noexcept { return cell_open_ || heading_ > 0; }
  // Writes what has to stand before the next character.
  void prepare();
  void write_openers();
  void write_opener(Emphasis emphasis);
  void write_close(Emphasis emphasis);
  void write_escaped(std::string_view text);
  void write_label(std::string_view opening, std::string_view label, std::string_view url);
  void write_url(std::string_view url);
  void end_inline();
  void end_link();
  bool drop_permalink();
  void flush_code();

  bool markdown_;
  Lines lines_;
  bool space_{false};
  unsigned line_breaks_{0};
  unsigned heading_{0};
  bool heading_marked_{false};
  std::array<OpenEmphasis, kEmphases> emphases_;
  std::array<Emphasis, kEmphases> written_{};
  std::size_t written_count_{0};
  std::size_t closed_at_{0};
  std::size_t undecided_at_{0};  // after a '<' or '&' whose successor is not known yet
  Emphasis closed_{Emphasis::Strong};
  std::optional<OpenLink> link_;
  bool in_label_{false};
  unsigned code_depth_{0};
  std::string code_;
  bool pre_open_{false};
  std::string pre_;
  std::string language_;
  std::optional<Table> table_;
  bool cell_open_{false};
  bool cell_break_{false};
  bool cell_header_{false};
  unsigned cell_columns_{1};
  unsigned cell_rows_{1};
  std::string cell_;
};

}  // namespace sallyport::content::html
