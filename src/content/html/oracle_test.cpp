// Our reading of HTML against Gumbo's, which builds the Standard's tree: the text is the same.
//
// Differences that are meant: the order, where the Standard moves text out of tables (compared as
// bags of characters then), and what is inside <iframe>, <noembed> and <noframes>, which we do not
// give.
#include "src/content/html/character_reference_table.hpp"
#include "src/content/html/character_references.hpp"
#include "src/content/html/characters.hpp"
#include "src/content/html/structure.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <gumbo.h>
#include <random>
#include <string>
#include <vector>

namespace sallyport::content::html {
namespace {

bool is_skipped(GumboTag tag) {
  return tag == GUMBO_TAG_SCRIPT || tag == GUMBO_TAG_STYLE || tag == GUMBO_TAG_IFRAME ||
         tag == GUMBO_TAG_NOEMBED || tag == GUMBO_TAG_NOFRAMES;
}

void append_text(GumboNode const* node, std::string& text) {
  if (node->type == GUMBO_NODE_TEXT || node->type == GUMBO_NODE_WHITESPACE ||
      node->type == GUMBO_NODE_CDATA) {
    text += node->v.text.text;
    return;
  }
  if (node->type != GUMBO_NODE_ELEMENT && node->type != GUMBO_NODE_TEMPLATE) return;
  if (is_skipped(node->v.element.tag) && node->v.element.tag_namespace == GUMBO_NAMESPACE_HTML) {
    return;
  }
  auto const& children = node->v.element.children;
  for (unsigned i = 0; i < children.length; ++i) {
    append_text(static_cast<GumboNode const*>(children.data[i]), text);
  }
}

std::string gumbo_text(std::string const& html) {
  auto* const output = gumbo_parse_with_options(&kGumboDefaultOptions, html.data(), html.size());
  std::string text;
  append_text(output->root, text);
  gumbo_destroy_output(&kGumboDefaultOptions, output);
  return text;
}

class TextOnly final : public Events {
 public:
  void open(Element element, Attributes const&, std::size_t depth) override {
    auto const inherited = depth > 0 && skipped_[depth - 1];
    skipped_[depth] = inherited || has_trait(element, trait::kNoContent);
  }
  void close(Element, std::size_t) override {}
  void leaf(Element, Attributes const&) override {}
  void text(std::string_view text, std::size_t depth) override {
    if (depth == 0 || !skipped_[depth - 1]) text_ += text;
  }
  std::string const& text() const { return text_; }

 private:
  std::array<bool, kMaxDepth> skipped_{};
  std::string text_;
};

std::string our_text(std::string const& html) {
  TextOnly events;
  Structure{html, events}.run();
  return events.text();
}

std::string without_spaces(std::string text) {
  std::erase_if(text, is_space);
  return text;
}

using Random = std::mt19937;

template <std::size_t N>
std::string_view any_of(Random& random, std::array<std::string_view, N> const& choices) {
  return choices[random() % N];
}

constexpr std::array<std::string_view, 24> kTexts = {
    "one ",  "two",  "&amp;",     "&copy",   "&notin;",   "&notit;", "&#65;", "&#x80;",
    " < ",   "<3",   "&",         "&&lt;",   "a&b;",      "-->",     "]]>",   "\n ",
    "&#0;x", "ä€😀", "&hellip;x", "</ bad>", "<!bogus>b", "<?pi?>c", "x>y",   "&AMP=1 ",
};
constexpr std::array<std::string_view, 34> kInline = {
    "b",     "i",   "a",       "em",      "span",   "font",       "code",   "u",     "s",
    "small", "x-y", "nobr",    "sub",     "q",      "strong",     "tt",     "label", "p",
    "div",   "h1",  "h2",      "ul",      "ol",     "li",         "dl",     "dt",    "dd",
    "form",  "pre", "section", "article", "button", "blockquote", "center",
};
constexpr std::array<std::string_view, 24> kRaw = {
    "<script>if (a<b) '</p>'</script>",
    "<script><!-- <script>x</script> --></script>y",
    "<style>p > a { }</style>",
    "<!-- c --- > -->",
    "<!-->z<!--->w",
    "<!-- x --!>v",
    "<textarea>\nt <b> &amp; </textarea>",
    "<br/>",
    "<img alt='a>b' src=x>",
    "<input value=\"<p>\">",
    "<hr>",
    "<svg><title>st</title><![CDATA[cd<b>]]><g/><path></path></svg>",
    "<math><mi>x</mi><mo>+</mo></math>",
    "<svg><p>out</p>",
    "<svg><foreignObject><div>in</div></foreignObject></svg>",
    "<![CDATA[not]]>n",
    "<xmp><b>raw</b></xmp>",
    "<a href=x/y>u</a>",
    "<a b='1'c=2 =d e/f>g</a>",
    "</br>",
    "<template><p>tp</template>",
    "<select><option>o1<option>o2</select>",
    "<ruby>r<rt>t<rp>)</ruby>",
    "<noscript><p>ns</p></noscript>",
};
constexpr std::array<std::string_view, 10> kTable = {
    "<table>", "<tr>",     "<td>",    "<th>",      "</td>",
    "</tr>",   "</table>", "<tbody>", "<caption>", "</caption>"};

std::string random_document(Random& random, bool with_tables) {
  std::string html = random() % 2 == 0 ? "<!DOCTYPE html><title>T &amp; t</title><body>" : "";
  auto const parts = 5 + random() % 60;
  for (unsigned i = 0; i < parts; ++i) {
    switch (random() % (with_tables ? 8 : 7)) {
      case 0:
      case 1: html += any_of(random, kTexts); break;
      case 2:
      case 3: html.append("<").append(any_of(random, kInline)).append(" class=c>w"); break;
      case 4:
      case 5: html.append("</").append(any_of(random, kInline)).append(">"); break;
      case 6: html += any_of(random, kRaw); break;
      default: html.append(any_of(random, kTable)).append("c"); break;
    }
  }
  return html;
}

TEST(HtmlOracle, ReadsTheSameTextAsAParserOfTheStandard) {
  Random random{20240817};
  for (int i = 0; i < 4000; ++i) {
    auto const html = random_document(random, false);
    ASSERT_EQ(without_spaces(our_text(html)), without_spaces(gumbo_text(html))) << html;
  }
}

TEST(HtmlOracle, LosesNoCharacterOfTablesThatTheStandardRearranges) {
  Random random{4711};
  for (int i = 0; i < 4000; ++i) {
    auto const html = random_document(random, true);
    auto ours = without_spaces(our_text(html));
    auto theirs = without_spaces(gumbo_text(html));
    std::sort(ours.begin(), ours.end());
    std::sort(theirs.begin(), theirs.end());
    ASSERT_EQ(ours, theirs) << html;
  }
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  std::string name;
  auto in_name = true;
  for (auto const c : kCharacterReferences) {
    if (c == ' ') {
      in_name = true;
    } else if (in_name && !is_alphanumeric(c)) {
      names.push_back(name + ";");
      if (c == '?') names.push_back(name);
      name.clear();
      in_name = false;
    } else if (in_name) {
      name.push_back(c);
    }
  }
  return names;
}

TEST(HtmlOracle, DecodesEveryNamedReferenceAlike) {
  auto const names = all_names();
  EXPECT_EQ(names.size(), 2231U);
  for (auto const& name : names) {
    for (auto const* const after : {"", " ", "x", "=", ";"}) {
      auto const html = "<p>[&" + name + after + "]";
      ASSERT_EQ(our_text(html), gumbo_text(html)) << html;
    }
  }
}

TEST(HtmlOracle, DecodesEveryNumberAlike) {
  for (unsigned number = 1; number < 0x110100; number += number < 0x500 ? 1 : 0x3F1) {
    if (number == 13) continue;  // Gumbo takes a carriage return for a line break
    auto const html = "<p>[&#" + std::to_string(number) + ";]";
    ASSERT_EQ(our_text(html), gumbo_text(html)) << html;
  }
}

TEST(CharacterReferences, InAttributesNeedASemicolonBeforeLettersAndEqualsSigns) {
  EXPECT_EQ(decode_attribute("?a=1&copy=2&copyx&copy;&copy &lt"), "?a=1&copy=2&copyx©© <");
}

}  // namespace
}  // namespace sallyport::content::html
