// Whatever HTML is thrown at it, in every format: what comes out is valid UTF-8, not much longer
// than its source, and within the limit.
#include "src/base/assert.hpp"
#include "src/content/html.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace content = sallyport::content;

namespace {

// The length of the character that begins at `index`; 0: none does.
std::size_t character_length(std::string_view text, std::size_t index) {
  auto const byte = [&](std::size_t i) {
    return index + i < text.size() ? static_cast<unsigned char>(text[index + i]) : 0U;
  };
  auto const first = byte(0);
  if (first < 0x80) return 1;
  auto const length = first >= 0xF0 ? 4U : first >= 0xE0 ? 3U : 2U;
  if (first < 0xC2 || first > 0xF4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (first == 0xE0 && byte(1) < 0xA0) return 0;
  if (first == 0xED && byte(1) > 0x9F) return 0;
  if (first == 0xF0 && byte(1) < 0x90) return 0;
  if (first == 0xF4 && byte(1) > 0x8F) return 0;
  return length;
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    auto const length = character_length(text, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

// What render_html is given is UTF-8 already.
std::string as_utf8(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    auto const length = character_length(text, i);
    result.append(length == 0 ? "?" : text.substr(i, length));
    i += length == 0 ? 1 : length;
  }
  return result;
}

void check(std::string const& html, content::HtmlOptions const& options) {
  auto const rendered = content::render_html(html, options);
  SP_ASSERT(is_utf8(rendered.body), "the body is UTF-8");
  SP_ASSERT(is_utf8(rendered.title), "the title is UTF-8");
  SP_ASSERT(rendered.body.size() <= 32 * html.size() + 64, "the body is in proportion");
  SP_ASSERT(rendered.body.empty() || rendered.body.back() == '\n', "the last line is ended");
  SP_ASSERT(rendered.title.size() <= html.size() + 1024, "the title is in proportion");
  if (rendered.truncated) return;
  auto limited = options;
  limited.max_output = rendered.body.size() / 2;
  auto const shorter = content::render_html(html, limited);
  SP_ASSERT(shorter.body.size() <= limited.max_output, "the limit holds");
  SP_ASSERT(is_utf8(shorter.body), "the cut is between characters");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const html = as_utf8({reinterpret_cast<char const*>(data), size});
  auto const base = sallyport::url::Url::parse("https://a.example/b");
  for (auto const format : {content::HtmlFormat::Markdown, content::HtmlFormat::Text}) {
    for (auto const main_content : {false, true}) {
      check(html, {.format = format, .main_content = main_content, .base = &*base});
    }
  }
  return 0;
}
