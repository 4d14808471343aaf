// Hostile pages cost what their size says: four times the input, about four times the time.
#include "src/content/html.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

namespace sallyport::content {
namespace {

std::string repeated(std::string_view text, std::size_t times) {
  std::string result;
  result.reserve(text.size() * times);
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

struct Hostile {
  std::string name;
  std::function<std::string(std::size_t)> make;  // about so many bytes
};

Hostile flood(std::string name, std::string unit, std::string before = {}) {
  return {std::move(name), [unit = std::move(unit), before = std::move(before)](std::size_t size) {
            return before + repeated(unit, size / unit.size());
          }};
}

std::string numbered_fonts(std::size_t size) {
  std::string html;
  for (int i = 0; html.size() < size; ++i) html += "<p><b><i><font a" + std::to_string(i) + ">";
  return html;
}

std::string attributes(std::size_t size) {
  std::string html = "<a ";
  for (int i = 0; html.size() < size; ++i) html += "a" + std::to_string(i) + "=1 ";
  return html + ">x";
}

std::string wide_then_long_table(std::size_t size) {
  return "<table><tr>" + repeated("<td>a", size / 10) + repeated("<tr><td>a", size / 18);
}

std::vector<Hostile> hostile_pages() {
  auto const deep = repeated("<div>", 500);
  return {
      flood("divs", "<div>"),
      {"fonts", numbered_fonts},
      {"attributes", attributes},
      flood("less-than signs", "<"),
      flood("ampersands", "&"),
      flood("almost references", "&CounterClockwiseContourIntegra"),
      flood("references", "&amp;"),
      flood("digits of a reference", "1", "&#"),
      flood("comments", "<!--"),
      flood("dashes", "-", "<!--"),
      flood("quotes", "<a b=\""),
      flood("declarations", "<!x"),
      flood("lists", "<ul><li>x"),
      flood("quotations", "<blockquote>x"),
      flood("tables", "<table><tr><td>x"),
      flood("rows", "<tr><td>a<td>b", "<table>"),
      {"wide then long table", wide_then_long_table},
      flood("spans", "<tr><td rowspan=999 colspan=16>a", "<table>"),
      flood("end tags without start", "</p>", deep),
      flood("items in divs", "<li></li>", "<ul>" + deep),
      flood("unknown elements", "<x-a><x-b></x-c></x-a>"),
      flood("misnesting", "<b><i></b></i>"),
      flood("unclosed misnesting", "<b><div><i></b>x"),
      flood("scripts", "<script><!--"),
      flood("line breaks in a deep list", "a<br>", repeated("<ul><li>", 20)),
      flood("links", "<a href=x>y"),
      flood("code", "<code>`"),
      flood("lines of code", "a\n", repeated("<ul><li>", 20) + "<pre>"),
      flood("drawings", "<svg><g>"),
      flood("integration points", "<svg><desc><math><mi>"),
      flood("styles", "<p style='   :  : : :display:x'>"),
      flood("classes", "<div class='nav menu cookie-x '>x</div>"),
      flood("titles", "<title>x</title"),
      flood("headings", "<h1>x<div>"),
      flood("exclamations", "!<a href=x>y</a>"),
      flood("articles", "<article>x</article>"),
      flood("nested chrome", "<main><aside><article><nav>x"),
      flood("spaces", " \xC2\xA0"),
      flood("carriage returns", "\r", "<pre>"),
  };
}

double seconds_of(std::string const& html, HtmlOptions const& options) {
  auto best = 1e9;
  for (int i = 0; i < 3; ++i) {
    auto const start = std::clock();  // of this process: other work on the machine does not count
    (void)render_html(html, options);
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
  }
  return best;
}

// A few milliseconds are what it takes; sanitizers and unoptimised code take far longer.
#if defined(NDEBUG)
constexpr std::size_t kSize = 105'000;
constexpr double kAbsoluteBound = 0.05;
#else
constexpr std::size_t kSize = 20'000;
constexpr double kAbsoluteBound = 2;
#endif

TEST(HtmlTime, GrowsWithTheSizeOfHostilePagesAndNoFaster) {
  for (auto const& page : hostile_pages()) {
    for (auto const format : {HtmlFormat::Markdown, HtmlFormat::Text}) {
      HtmlOptions const options{.format = format};
      auto const once = seconds_of(page.make(kSize), options);
      auto const four_times = seconds_of(page.make(4 * kSize), options);
      // Quadratic work would make it sixteen; small times are noise.
      EXPECT_LT(four_times, 8 * once + 0.02) << page.name;
      EXPECT_LT(once, kAbsoluteBound) << page.name;
    }
  }
}

}  // namespace
}  // namespace sallyport::content
