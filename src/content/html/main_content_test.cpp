// Pages of the kinds that there are, each with what must be given of it and what need not.
#include "src/content/html.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::content {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string prose(std::string_view word, int sentences) {
  std::string text;
  for (int i = 0; i < sentences; ++i) {
    text += "This sentence is about ";
    text += word;
    text += " and says what there is to say. ";
  }
  return text;
}

std::string links(std::string_view word, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += "<li><a href='/" + std::to_string(i) + "'>" + std::string{word} + "</a></li>";
  }
  return text;
}

std::string const kNav = "<nav><ul>" + links("menu entry", 30) + "</ul></nav>";
std::string const kFooter = "<footer>Imprint of the site, all rights reserved</footer>";

TEST(MainContent, OfADocumentationPageIsItsMainPartWithoutTheSideBar) {
  auto const page = render_html(
      "<header><a href=/>Logo of it</a></header><div class=layout><div "
      "class='sidebar-wrapper'><ul>" +
      links("side entry", 200) + "</ul></div>" + kNav + "<main><h1>Guide</h1><p>" +
      prose("pumps", 10) + "<aside class=note><p>" + prose("notes", 2) +
      "</p></aside></main></div>" + kFooter);
  EXPECT_FALSE(page.whole_page);
  EXPECT_THAT(page.body, HasSubstr("# Guide"));
  EXPECT_THAT(page.body, HasSubstr("about notes"));
  EXPECT_THAT(page.body, Not(HasSubstr("side entry")));
  EXPECT_THAT(page.body, Not(HasSubstr("menu entry")));
  EXPECT_THAT(page.body, Not(HasSubstr("Imprint")));
}

TEST(MainContent, OfABlogPostIsTheArticleWithItsHeading) {
  auto const page =
      render_html(kNav + "<header><h1>How pumps work</h1><p>Site slogan</p></header>" +
                  "<article><p>" + prose("pumps", 10) + "</article>" + "<div class=related><ul>" +
                  links("other post", 9) + "</ul></div>" + kFooter);
  EXPECT_FALSE(page.whole_page);
  EXPECT_THAT(page.body, HasSubstr("# How pumps work"));
  EXPECT_THAT(page.body, HasSubstr("about pumps"));
  EXPECT_THAT(page.body, Not(HasSubstr("slogan")));
  EXPECT_THAT(page.body, Not(HasSubstr("other post")));
}

TEST(MainContent, OfAListOfPostsIsAllOfThemAndWhatStandsBetween) {
  auto const page =
      render_html(kNav + "<div><article><h2>A</h2>" + prose("apples", 4) +
                  "</article><h2>Older</h2>" + "<article><h2>B</h2>" + prose("pears", 4) +
                  "</article><article>" + prose("plums", 4) + "</article></div>" + kFooter);
  EXPECT_FALSE(page.whole_page);
  for (auto const* const word : {"apples", "Older", "pears", "plums"}) {
    EXPECT_THAT(page.body, HasSubstr(word));
  }
  EXPECT_THAT(page.body, Not(HasSubstr("menu entry")));
}

TEST(MainContent, OfAForumThreadIsEveryPost) {
  std::string thread = kNav + "<div id=thread><h1>Question</h1>";
  for (int i = 0; i < 20; ++i) {
    thread += "<div class=post><a href=/u>user" + std::to_string(i) + "</a><p>" +
              prose("answer" + std::to_string(i), 2) + "</div>";
  }
  auto const page = render_html(thread + "</div>" + kFooter);
  EXPECT_FALSE(page.whole_page);
  EXPECT_THAT(page.body, HasSubstr("answer0"));
  EXPECT_THAT(page.body, HasSubstr("answer19"));
  EXPECT_THAT(page.body, Not(HasSubstr("menu entry")));
}

TEST(MainContent, OfAShopOrOfSearchResultsIsTheList) {
  std::string list = kNav + "<form role=search><input name=q><button>Find it</button></form><div>";
  for (int i = 0; i < 30; ++i) {
    list += "<div class=item><a href=/i>Product number " + std::to_string(i) + "</a> 9.99</div>";
  }
  auto const page = render_html(list + "</div>" + kFooter);
  EXPECT_THAT(page.body, HasSubstr("Product number 0]"));
  EXPECT_THAT(page.body, HasSubstr("Product number 29]"));
  EXPECT_THAT(page.body, Not(HasSubstr("Find it")));
}

TEST(MainContent, OfAPageOfOneTableIsTheTable) {
  std::string table = kNav + "<h1>Rates</h1><table><tr><th>Name<th>Rate";
  for (int i = 0; i < 50; ++i) table += "<tr><td>Currency " + std::to_string(i) + "<td>1.5";
  auto const page = render_html(table + "</table>" + kFooter);
  EXPECT_THAT(page.body, HasSubstr("| Currency 49 | 1.5 |"));
  EXPECT_THAT(page.body, HasSubstr("# Rates"));
  EXPECT_THAT(page.body, Not(HasSubstr("menu entry")));
}

TEST(MainContent, InAFormAroundEverythingIsNotLost) {
  auto const page = render_html("<form action=x.aspx><input type=hidden>" + kNav + "<div>" +
                                prose("invoices", 10) + "</div><input type=submit></form>");
  EXPECT_THAT(page.body, HasSubstr("about invoices"));
  EXPECT_THAT(page.body, Not(HasSubstr("menu entry")));
}

TEST(MainContent, InAnAsideOrAHeaderOrAFooterIsNotLost) {
  for (auto const* const tag : {"aside", "header", "footer", "nav"}) {
    auto const page = render_html(std::string{"<p>Hi.</p><"} + tag + "><p>" + prose("all", 20) +
                                  "</p></" + tag + ">");
    EXPECT_THAT(page.body, HasSubstr("about all")) << tag;
  }
}

TEST(MainContent, IsTheWholePageWhenTheMainPartIsOnlyAShell) {
  auto const page =
      render_html("<main><h1>Shop</h1><p>Loading the page</p></main><div id=data><p>" +
                  prose("shoes", 40) + "</p></div>");
  EXPECT_TRUE(page.whole_page);
  EXPECT_THAT(page.body, HasSubstr("about shoes"));
  EXPECT_THAT(page.body, HasSubstr("Loading"));
}

TEST(MainContent, IsTheWholePageWhenHardlyAnythingElseWouldBeLeft) {
  auto const page = render_html(kNav + "<main>Loading</main>" + kFooter);
  EXPECT_TRUE(page.whole_page);
  EXPECT_THAT(page.body, HasSubstr("menu entry"));
  EXPECT_THAT(page.body, HasSubstr("Loading"));
}

TEST(MainContent, OfAShellForScriptsIsWhatItSaysToReadersWithoutThem) {
  auto const page = render_html("<div id=root></div><noscript><p>Needs scripts</p></noscript>");
  EXPECT_TRUE(page.whole_page);
  EXPECT_EQ(page.body, "Needs scripts\n");
}

TEST(MainContent, IsFoundInPartsThatAreStreamedHidden) {
  auto const page = render_html("<main><p>Wait</p></main><div hidden id='S:0'><p>" +
                                prose("streams", 20) + "</div>");
  EXPECT_THAT(page.body, HasSubstr("about streams"));
}

TEST(MainContent, LeavesOutCookieBannersButNotPagesAboutCookies) {
  auto const banner =
      "<div id=cookie-consent><p>We value your privacy</p><button>Accept</button></div>";
  auto const page = render_html(banner + std::string{"<div><p>"} + prose("pumps", 10) + "</div>");
  EXPECT_THAT(page.body, Not(HasSubstr("privacy")));
  auto const recipe =
      render_html("<div class='cookie-recipe'><p>" + prose("dough", 10) + "</div><p>Bye");
  EXPECT_THAT(recipe.body, HasSubstr("about dough"));
}

TEST(MainContent, SaysThatNothingWasLeftOut) {
  EXPECT_TRUE(render_html("<p>" + prose("pumps", 10)).whole_page);
  EXPECT_TRUE(render_html("<main><p>" + prose("pumps", 10) + "</main>").whole_page);
  auto const all =
      render_html(kNav + "<main>" + prose("pumps", 9) + "</main>", {.main_content = false});
  EXPECT_TRUE(all.whole_page);
  EXPECT_THAT(all.body, HasSubstr("menu entry"));
}

}  // namespace
}  // namespace sallyport::content
