#include "src/app/servers/browser.hpp"

#include <gtest/gtest.h>

namespace sallyport::app::servers {
namespace {

TEST(Browser, OpensPagesAlone) {
  EXPECT_TRUE(is_page("https://as.example/authorize?a=b&c=%20d#e"));
  EXPECT_TRUE(is_page("http://127.0.0.1:3000/authorize?a=b;c=$d"));
  for (auto const* const other :
       {"", "--help", "-x", "/etc/passwd", "file:///etc/passwd", "javascript:alert(1)", "ssh://a",
        "HTTP:a", "http:a", "https:/a", "https://a b", "https://a\nb", "https://a`b`",
        "https://a\"b", "https://a'b", "https://a\\b", "https://\xc3\xa9"}) {
    EXPECT_FALSE(is_page(other)) << other;
    EXPECT_FALSE(open_in_browser(other, {{"PATH", "/usr/bin:/bin"}})) << other;
  }
}

TEST(Browser, NeedsADisplay) {
  EXPECT_FALSE(has_display({}));
  EXPECT_FALSE(has_display({{"DISPLAY", ""}}));
  EXPECT_TRUE(has_display({{"DISPLAY", ":0"}}));
  EXPECT_TRUE(has_display({{"WAYLAND_DISPLAY", "wayland-0"}}));
}

}  // namespace
}  // namespace sallyport::app::servers
