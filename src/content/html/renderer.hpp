// The second reading of a page: what each element is in Markdown or text.
#pragma once

#include "src/content/html.hpp"
#include "src/content/html/links.hpp"
#include "src/content/html/structure.hpp"
#include "src/content/html/survey.hpp"
#include "src/content/html/visibility.hpp"
#include "src/content/html/writer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sallyport::content::html {

class Renderer final : public Events {
 public:
  Renderer(HtmlOptions const& options, Plan const& plan);

  void open(Element element, Attributes const& attributes, std::size_t depth) override;
  void close(Element element, std::size_t depth) override;
  void leaf(Element element, Attributes const& attributes) override;
  void text(std::string_view text, std::size_t depth) override;
  bool done() const noexcept override { return writer_.full(); }

  std::string finish(bool& truncated) { return writer_.finish(truncated); }

 private:
  struct Frame {
    bool hidden{false};     // nobody sees it
    bool outside{false};    // of the part that is given
    bool rescued{false};    // the heading that is given all the same
    bool opened{false};     // told to the writer, which has to hear of its end
    bool container{false};  // pushed a prefix, or a table or a block of code
    bool ends_span{false};
    bool ordered{false};
    bool laid_out{false};  // the innermost table is
    bool has_item{false};  // the list has
    bool other_bullet{false};
    Element list{Element::Unknown};
    std::uint32_t item{0};  // the number of the list's next item
    std::string_view language;
  };

  bool is_given(Frame const& frame) const noexcept {
    return !frame.hidden && (!(frame.outside || !in_span_) || frame.rescued);
  }
  bool is_given() const noexcept { return is_given(depth_ == 0 ? root_ : frames_[depth_ - 1]); }

  void follow_plan(Frame& frame);
  void open_shown(Element element, Attributes const& attributes, Frame& frame);
  bool open_inline(Element element, Attributes const& attributes);
  void open_list(Element element, Attributes const& attributes, Frame& frame);
  void open_item(Frame& frame);
  void open_table_part(Element element, Attributes const& attributes, Frame& frame);
  void close_table_part(Element element, Frame const& frame);
  void open_media(Element element, Attributes const& attributes, Frame& frame);
  void image(Attributes const& attributes);
  void link_to(std::string_view name, Attributes const& attributes);
  void checkbox(Attributes const& attributes);

  Plan const& plan_;
  Links links_;
  Writer writer_;
  Frame root_;
  std::array<Frame, kMaxDepth> frames_;
  std::size_t depth_{0};
  std::uint32_t container_{0};
  std::size_t step_{0};
  bool in_span_{true};
  bool heading_rescued_{false};
  std::optional<std::string_view> media_;  // a <video> or <audio> whose address is not known yet
  std::size_t media_depth_{0};
  std::size_t last_list_end_{0};
  bool last_bullet_{false};
};

}  // namespace sallyport::content::html
