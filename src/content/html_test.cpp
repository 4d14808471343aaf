#include "src/content/html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::content {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string markdown(std::string_view html) {
  return render_html(html, {.main_content = false}).body;
}

std::string plain(std::string_view html) {
  return render_html(html, {.format = HtmlFormat::Text, .main_content = false}).body;
}

std::string at_base(std::string_view html, std::string_view base = "https://example.com/a/b?q#f") {
  auto const url = url::Url::parse(base);
  return render_html(html, {.main_content = false, .base = &*url}).body;
}

TEST(Html, GivesNothingForNothing) {
  EXPECT_EQ(markdown(""), "");
  EXPECT_EQ(markdown("<div><p></p><ul><li></ul><table><tr><td></table></div>"), "");
}

TEST(Html, SeparatesBlocksByOneBlankLine) {
  EXPECT_EQ(markdown("<h1>A</h1><div><div><p>b</p></div></div>\n\n\n<p>c<p>d"),
            "# A\n\nb\n\nc\n\nd\n");
}

TEST(Html, CollapsesWhiteSpaceAsABrowserDoes) {
  EXPECT_EQ(markdown("<p>  a \n\t b <b> c </b>  d&nbsp;&nbsp;e f\xC2\xADg </p>"),
            "a b **c** d e fg\n");
}

TEST(Html, BreaksLinesWithABackslashAndParagraphsWithTwoBreaks) {
  EXPECT_EQ(markdown("<p>a<br>b<br><br>c<br></p>"), "a\\\nb\n\nc\n");
  EXPECT_EQ(plain("<p>a<br>b<br><br>c<br></p>"), "a\nb\n\nc\n");
}

TEST(Html, MarksEmphasis) {
  EXPECT_EQ(markdown("<b>a</b> <i>b</i> <del>c</del> <strong><em>d</em></strong> H<sub>2</sub>O"),
            "**a** *b* ~~c~~ ***d*** H2O\n");
  EXPECT_EQ(markdown("<b>a</b><b>b</b><b></b><b> </b>c"), "**ab** c\n");
  EXPECT_EQ(markdown("<b><p>a</p><p>b</p></b>"), "**a**\n\n**b**\n");
}

TEST(Html, QuotesCodeWithEnoughBackticks) {
  EXPECT_EQ(markdown("<code>a_b*</code> <code>x ` y</code> <kbd>`</kbd>"),
            "`a_b*` ``x ` y`` `` ` ``\n");
}

TEST(Html, FencesBlocksOfCodeLongerThanAnyFenceInside) {
  EXPECT_EQ(
      markdown("<pre><code class=\"hljs language-c++\">\nif (a &lt; b)\n\n  ```\n</code></pre>"),
      "````c++\nif (a < b)\n\n  ```\n````\n");
  EXPECT_EQ(markdown("<div class=\"highlight-source-shell\"><pre>ls<br>pwd</pre></div>"),
            "```shell\nls\npwd\n```\n");
}

TEST(Html, MakesLinksAbsoluteAndLeavesOutThoseThatLeadNowhere) {
  EXPECT_EQ(at_base("<a href='/x'>r</a> <a href='y?z=1&amp;copy=2'>s</a> <a href='#t'>t</a>"),
            "[r](https://example.com/x) [s](https://example.com/a/y?z=1&copy=2) "
            "[t](https://example.com/a/b?q#t)\n");
  EXPECT_EQ(at_base("<a href='javascript:alert(1)'>j</a> <a href='data:x'>d</a> <a>n</a>"),
            "j d n\n");
  EXPECT_EQ(at_base("<a href=' JaVaScRiPt:alert(1)'>j</a>"), "j\n");
  EXPECT_EQ(at_base("<a href='java&#10;script:alert(1)'>j</a>"), "j\n");
  EXPECT_EQ(at_base("<base href='/c/d'><a href=e>e</a>"), "[e](https://example.com/c/e)\n");
  EXPECT_EQ(at_base("<a href='/a b|c'>[x]</a>"), "[\\[x\\]](https://example.com/a%20b%7Cc)\n");
  EXPECT_EQ(at_base("<a href='/a)b('>x</a>"), "[x](<https://example.com/a)b(>)\n");
}

TEST(Html, GivesALinkAroundBlocksToTheFirstOne) {
  EXPECT_EQ(at_base("<a href=/p><div><h3>Card</h3><p>More</p></div></a>"),
            "### [Card](https://example.com/p)\n\nMore\n");
}

TEST(Html, ShowsImagesWithTextAndAddress) {
  EXPECT_EQ(at_base("<img src=/i.png alt='An [i]'> <img src='data:x' alt=D> <img src=d alt=''>"),
            "![An \\[i\\]](https://example.com/i.png) D\n");
  EXPECT_EQ(at_base("<img src=/p.gif width=1 height=1>a"), "a\n");
}

TEST(Html, NestsLists) {
  EXPECT_EQ(markdown("<ul><li>a<ul><li>b<li>c</ul><li><p>d</p><p>e</p></ul>"),
            "- a\n  - b\n  - c\n- d\n\n  e\n");
  EXPECT_EQ(markdown("<ol start=9><li>a</li><li>b<ul><li>c</ul></ol>"), "9. a\n10. b\n    - c\n");
  EXPECT_EQ(markdown("<ul><li>a</ul><ul><li>b</ul>"), "- a\n\n* b\n");
  EXPECT_EQ(plain("<ul><li>a<ol><li>b</ol></ul>"), "- a\n  1. b\n");
}

TEST(Html, MarksTasks) {
  EXPECT_EQ(markdown("<ul><li><input type=checkbox checked> a<li><input type=checkbox>b</ul>"),
            "- [x] a\n- [ ] b\n");
}

TEST(Html, QuotesEveryLineOfAQuote) {
  EXPECT_EQ(markdown("<blockquote><p>a<p>b<blockquote>c</blockquote></blockquote>d"),
            "> a\n>\n> b\n>\n> > c\n\nd\n");
  EXPECT_EQ(markdown("<blockquote>a</blockquote><blockquote>b</blockquote>"), "> a\n\n> b\n");
}

TEST(Html, MakesTables) {
  EXPECT_EQ(markdown("<table><tr><th>A<th>B|<tr><td>1<br>2<td><code>a|b</code></table>"),
            "| A | B\\| |\n| --- | --- |\n| 1<br>2 | `a\\|b` |\n");
  EXPECT_EQ(markdown("<table><tr><td>1<td>2</table>"), "| | |\n| --- | --- |\n| 1 | 2 |\n");
  EXPECT_EQ(markdown("<table><tr><th colspan=2>T<tr><td rowspan=2>a<td>b<tr><td>c</table>"),
            "| T | |\n| --- | --- |\n| a | b |\n| | c |\n");
  EXPECT_EQ(plain("<table><tr><th>A<th>B<tr><td>1<td>2</table>"), "A\tB\n1\t2\n");
}

TEST(Html, FlattensTablesThatAreLayout) {
  EXPECT_EQ(markdown("<table><tr><td>a<td>b<table><tr><th>c<th>d</table></table>"),
            "a b\n\n| c | d |\n| --- | --- |\n");
  EXPECT_EQ(markdown("<table role=presentation><tr><td>a<td>b</table>"), "a b\n");
}

TEST(Html, MakesTermsFiguresAndDetails) {
  EXPECT_EQ(markdown("<dl><dt>T<dd>D<dt>U<dd>E</dl>"), "T\n: D\n\nU\n: E\n");
  EXPECT_EQ(markdown("<details><summary>S</summary>b</details>"), "**S**\n\nb\n");
  EXPECT_EQ(markdown("<figure><pre>x</pre><figcaption>C</figcaption></figure>"),
            "```\nx\n```\n\nC\n");
}

TEST(Html, LinksToWhatIsPlayedOrFramed) {
  EXPECT_EQ(at_base("<video><source src=/v.mp4>No video?</video><iframe src=/f title=F></iframe>"),
            "[video](https://example.com/v.mp4) [F](https://example.com/f)\n");
}

TEST(Html, LeavesOutWhatNobodySees) {
  EXPECT_EQ(markdown("<p>a<script>b</script><style>c</style><template>d</template>"
                     "<svg><title>e</title><text>f</text></svg><span hidden>g</span>"
                     "<span aria-hidden=true>h</span><i style='color:red; display : none'>i</i>"
                     "<i style='visibility:hidden'>j</i><i style='not-display:none'>k</i>"
                     "<!-- l --><?m?><!n></o ></p>"),
            "a*k*\n");
}

TEST(Html, ShowsWhatIsHiddenWhenThereIsHardlyAnythingElse) {
  std::string const text(500, 'x');
  EXPECT_THAT(markdown("Loading<div style='display:none'>" + text + "</div>"), HasSubstr(text));
  EXPECT_THAT(markdown("<div id=root></div><noscript>Turn on scripts</noscript>"),
              HasSubstr("Turn on scripts"));
  EXPECT_THAT(markdown("<p>" + text + "<noscript>Turn on scripts</noscript>"),
              Not(HasSubstr("Turn on")));
  EXPECT_THAT(markdown("<p>" + text + "<div hidden id=S:1>streamed</div>"), HasSubstr("streamed"));
}

TEST(Html, EscapesTextThatMarkdownWouldReadAsMarkup) {
  EXPECT_EQ(markdown("<p># a<p>#b<p>- c<p>-d<p>1. e<p>1.5<p>&gt; f<p>+ g<p>=== <p>* h"),
            "\\# a\n\n#b\n\n\\- c\n\n-d\n\n1\\. e\n\n1.5\n\n\\> f\n\n\\+ g\n\n\\===\n\n\\* h\n");
  EXPECT_EQ(
      markdown("a*b* snake_case _u_ `c` &lt;b&gt; 1 &lt; 2 x ~~y~~ \\n \\* &amp;amp; A&amp;B"),
      "a\\*b\\* snake_case \\_u\\_ \\`c\\` \\<b> 1 < 2 x \\~\\~y\\~\\~ \\n \\\\\\* \\&amp; A&B\n");
  EXPECT_EQ(markdown("<p>see [1] and f[0](x)"), "see [1] and f[0\\](x)\n");
  EXPECT_EQ(plain("<p># a *b* &lt;c&gt;"), "# a *b* <c>\n");
}

TEST(Html, ClosesWhatIsNotClosedAndForgivesMisnesting) {
  EXPECT_EQ(markdown("<p>a<div>b</p>c</div>d"), "a\n\nb\n\nc\n\nd\n");
  EXPECT_EQ(markdown("<b>a<p>b</b>c</p>"), "**a**\n\n**b**c\n");
  EXPECT_EQ(markdown("</p></b></ul></td>a</x>"), "a\n");
  EXPECT_EQ(markdown("a < b && c <3 </ d>"), "a < b && c <3\n");
}

TEST(Html, FindsTheTitleWhereverItIs) {
  auto const title = [](std::string_view html) { return render_html(html).title; };
  EXPECT_EQ(title("<svg><title>no</title></svg><title> A &amp;\n B </title><title>C</title>"),
            "A & B");
  EXPECT_EQ(title("<p>" + std::string(100'000, 'x') + "</p><title>Late</title>"), "Late");
  EXPECT_EQ(title("<meta property=og:title content='O'><h1>H</h1>"), "O");
  EXPECT_EQ(title("<h1>H <i>i</i></h1>"), "H i");
  EXPECT_EQ(title("<p>x"), "");
  EXPECT_EQ(markdown("<title>T</title>b"), "b\n");
}

TEST(Html, StopsAtTheLimitAtTheEndOfALine) {
  auto const rendered = render_html("<p>one two<p>three four<p>five", {.max_output = 24});
  EXPECT_TRUE(rendered.truncated);
  EXPECT_EQ(rendered.body, "one two\n\nthree four\n");
  EXPECT_FALSE(render_html("<p>one", {.max_output = 4}).truncated);
  EXPECT_EQ(render_html("<p>äää", {.max_output = 4}).body, "ä\n");
}

TEST(Html, IsNotMuchLongerThanItsSourceHoweverDeepItNests) {
  std::string html;
  for (int i = 0; i < 5000; ++i) html += "<ul><li>x<blockquote>y";
  EXPECT_LT(markdown(html).size(), html.size() * 8);
}

}  // namespace
}  // namespace sallyport::content
