// How fast pages become Markdown: `html_bench [file…]`, or a made page of 100 KB.
#include "src/content/html.hpp"

#include <fmt/format.h>

#include <ctime>
#include <fstream>
#include <iterator>
#include <string>

namespace content = sallyport::content;

namespace {

std::string made_page() {
  std::string html = "<!DOCTYPE html><title>T</title><nav>";
  for (int i = 0; i < 40; ++i) html += "<a class='nav-link px-2' href='/n'>An entry</a>";
  html += "</nav><main>";
  while (html.size() < 100'000) {
    html +=
        "<h2 id=s>A heading of this page</h2>\n<p class='mb-4 text-gray-700'>A paragraph with a "
        "few "
        "sentences. It has <a href='/p/17?a=1&amp;b=2'>a link</a>, <em>emphasis</em> &mdash; and "
        "as "
        "much running text as such paragraphs tend to have, which is some two hundred bytes.</p>\n"
        "<div class='card flex items-center'><ul><li>An item of a "
        "list</li><li><strong>Another</strong> "
        "with emphasis</li></ul></div>\n";
  }
  return html + "</main><footer><a href='/f'>Imprint</a></footer>";
}

void measure(std::string const& name, std::string const& html,
             content::HtmlOptions const& options) {
  constexpr int kRounds = 500;
  std::size_t written = 0;
  auto const start = std::clock();  // the process's time: other work on the machine does not count
  for (int i = 0; i < kRounds; ++i) written += content::render_html(html, options).body.size();
  auto const seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / kRounds;
  fmt::print("{}: {} bytes to {}, {:.3f} ms, {:.0f} MB/s\n", name, html.size(), written / kRounds,
             seconds * 1e3, static_cast<double>(html.size()) / seconds / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
  auto const base = sallyport::url::Url::parse("https://example.com/a/b");
  if (!base) return 1;
  content::HtmlOptions const options{.base = &*base};
  if (argc < 2) measure("a made page", made_page(), options);
  for (int i = 1; i < argc; ++i) {
    std::ifstream file{argv[i], std::ios::binary};
    measure(argv[i], {std::istreambuf_iterator<char>{file}, {}}, options);
  }
}
