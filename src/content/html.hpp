// HTML to Markdown or text, in linear time whatever the input is.
//
// A tokenizer by the HTML Standard's states and a flat, capped stack of open elements, straight to
// the output; there is no tree (docs/adr/0013-html.md).
#pragma once

#include "src/url/url.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace sallyport::content {

enum class HtmlFormat { Markdown, Text };

struct HtmlOptions {
  HtmlFormat format{HtmlFormat::Markdown};
  // Leave out navigation, headers, footers, asides, forms: what is not the page's own content. When
  // too little would be left, the whole page is given, and `Rendered::whole_page` says so.
  bool main_content{true};
  url::Url const* base{nullptr};  // makes links absolute
  std::size_t max_output{8UL * 1024 * 1024};
};

struct Rendered {
  std::string title;
  std::string body;       // UTF-8; ends with a line break unless empty
  bool whole_page{true};  // nothing was left out, or leaving out would have lost the page
  bool truncated{false};  // max_output was reached
};

// `html` is UTF-8.
Rendered render_html(std::string_view html, HtmlOptions const& options = {});

}  // namespace sallyport::content
