#include "src/tools/fetch_page.hpp"

#include "src/content/charset.hpp"
#include "src/content/html.hpp"
#include "src/http/message.hpp"

#include <utility>

namespace sallyport::tools {
namespace {

using content::Kind;

content::MediaType declared_type(pipeline::OutboundAnswer const& answer) {
  auto const* const found = answer.head.headers.find("Content-Type");
  return found == nullptr ? content::MediaType{} : content::MediaType::parse(*found);
}

bool wants_markup(FetchFormat format) noexcept {
  return format == FetchFormat::Html || format == FetchFormat::Raw;
}

std::string_view name_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::Image: return "image";
    case Kind::Audio: return "audio";
    case Kind::Html:
    case Kind::Text:
    case Kind::Json:
    case Kind::Xml:
    case Kind::Pdf:
    case Kind::Binary:
    case Kind::Empty: break;
  }
  return "file";
}

bool is_text(Kind kind) noexcept {
  switch (kind) {
    case Kind::Html:
    case Kind::Text:
    case Kind::Json:
    case Kind::Xml:
    case Kind::Empty: return true;
    case Kind::Image:
    case Kind::Audio:
    case Kind::Pdf:
    case Kind::Binary: break;
  }
  return false;
}

std::string title_of(std::string_view html) {
  return content::render_html(html, {.main_content = false, .max_output = 1}).title;
}

// Until the first end tag that may be the title's, where that gives one: pages are long, and titles
// stand at their start.
std::string title_of_markup(std::string_view html) {
  for (auto at = html.find("</"); at != std::string_view::npos; at = html.find("</", at + 2)) {
    auto const name = html.substr(at + 2, 5);
    if (!http::equals_ignoring_case(name, "title")) continue;
    auto title = title_of(html.substr(0, at + 2 + name.size() + 1));
    return title.empty() ? title_of(html) : title;
  }
  return {};
}

void convert_html(FetchedPage& page, FetchFormat format, url::Url const& base) {
  if (wants_markup(format)) {
    page.format = "html";
    page.title = title_of_markup(page.text);
    return;
  }
  bool const plain = format == FetchFormat::Text;
  page.format = plain ? "text" : "markdown";
  auto rendered = content::render_html(
      page.text, {.format = plain ? content::HtmlFormat::Text : content::HtmlFormat::Markdown,
                  .main_content = format == FetchFormat::Auto,
                  .base = &base});
  page.title = std::move(rendered.title);
  page.text = std::move(rendered.body);
  page.whole = rendered.whole_page;
  page.shortened = rendered.truncated;
}

}  // namespace

content::Sniffed sniff_answer(pipeline::OutboundAnswer const& answer) {
  return content::sniff(answer.body, declared_type(answer));
}

FetchedPage read_page(pipeline::OutboundAnswer& answer, content::Sniffed type, FetchFormat format) {
  FetchedPage page;
  auto const declared = declared_type(answer);
  page.type = std::move(type);
  if (!is_text(page.type.kind)) {
    page.format = name_of(page.type.kind);
    page.bytes = std::move(answer.body);
    return page;
  }
  bool const html = page.type.kind == Kind::Html;
  auto decoded = content::to_utf8(std::move(answer.body), declared.charset, html);
  page.text = std::move(decoded.text);
  page.charset = std::move(decoded.charset);
  page.replaced = decoded.replaced;
  page.format = "raw";
  if (html) convert_html(page, format, answer.url);
  return page;
}

FetchedPage read_pdf_page(std::string text) {
  FetchedPage page;
  page.type = {Kind::Pdf, "application/pdf"};
  page.format = "text";
  page.text = std::move(text);
  return page;
}

}  // namespace sallyport::tools
