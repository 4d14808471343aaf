// The first reading of a page: how much text stands where, and so what to give of it.
//
// The second reading (renderer.hpp) meets the same elements in the same order and asks the plan
// what to do with each container by its number. docs/adr/0013-html.md has the thresholds' reasons.
#pragma once

#include "src/content/html/region.hpp"
#include "src/content/html/structure.hpp"
#include "src/content/html/visibility.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::content::html {

// What the renderer does at one container.
enum class Action : std::uint8_t {
  Drop,
  Enter,      // give what is inside, though nothing around it
  BeginSpan,  // give what follows
  EndSpan,    // and nothing after the end of this one
  BeginAndEndSpan,
  LayOut,  // a table that is no table
};

struct Plan {
  struct Step {
    std::uint32_t container{0};
    Action action{Action::Drop};
  };

  bool show_hidden{false};
  bool show_noscript{false};
  bool whole_page{true};
  bool starts_outside{false};  // nothing is given but what a step enters
  bool rescue_heading{false};  // the page's <h1> stands outside of what is given
  std::vector<Step> steps;     // by container
  std::string title;
  std::string base;  // <base href>
};

class Survey final : public Events {
 public:
  void open(Element element, Attributes const& attributes, std::size_t depth) override;
  void close(Element element, std::size_t depth) override;
  void leaf(Element element, Attributes const& attributes) override;
  void text(std::string_view text, std::size_t depth) override;

  // After the reading.
  Plan plan(bool main_content);

 private:
  struct Region {
    std::uint32_t container{0};
    RegionKind kind{RegionKind::None};
    bool inside{false};  // of a main part or an article
    bool outermost{false};
    bool laid_out{false};
    Amount before;
    Amount amount;
    std::uint32_t controls{0};
    std::uint32_t mains{0};
    std::uint32_t end{0};  // the region after it
  };
  struct Frame {
    Visibility visibility{Visibility::Shown};
    bool link{false};
    bool control{false};
    std::int32_t region{-1};
  };
  struct OpenTable {
    std::uint32_t region{0};
    unsigned columns{0};
    unsigned columns_of_row{0};
    bool header{false};
    bool blocks{false};
    std::uint64_t cell_start{0};
    std::uint64_t longest_cell{0};
  };
  enum class Part : std::uint8_t { Main, Articles, NotChrome };

  void open_region(Attributes const& attributes, RegionKind kind, Frame& frame);
  void close_region(Region& region);
  void observe_in_table(Element element);
  bool judge_layout(OpenTable const& table) const noexcept;
  void title_text(std::string_view text);
  void meta(Attributes const& attributes);

  bool is_chrome(Region const& region) const noexcept;
  struct Span {
    Region const* first{nullptr};
    Region const* last{nullptr};
  };
  // From the first article to the last, those in chrome not counted.
  Span article_span() const noexcept;
  Amount amount_of(Part part) const;
  bool suffices(Amount const& part, Amount const& whole, unsigned percent) const noexcept;
  void choose_part(Plan& plan) const;
  void add_steps(Plan& plan, Part const* part) const;

  std::array<Frame, kMaxDepth> frames_;
  std::uint32_t containers_{0};
  std::vector<Region> regions_;
  std::vector<OpenTable> tables_;
  Amount now_;
  std::uint64_t hidden_text_{0};
  std::uint64_t noscript_text_{0};
  std::uint32_t controls_{0};
  std::uint32_t mains_{0};
  unsigned open_mains_{0};
  unsigned open_articles_{0};
  bool in_title_{false};
  bool has_title_{false};
  bool in_heading_{false};
  bool has_heading_{false};
  std::string title_;
  std::string social_title_;
  std::string heading_;
  std::string base_;
};

}  // namespace sallyport::content::html
