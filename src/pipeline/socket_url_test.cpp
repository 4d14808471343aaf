#include "src/pipeline/socket_url.hpp"

#include <gtest/gtest.h>

namespace sallyport::pipeline {
namespace {

std::string to_socket(std::string_view text) {
  return as_socket_url(*url::Url::parse(text)).href();
}
std::string to_http(std::string_view text) {
  return as_http_url(*url::Url::parse(text)).href();
}

TEST(SocketUrl, HasTheSchemeOfItsKind) {
  EXPECT_EQ(to_socket("http://a.example/x?q#f"), "ws://a.example/x?q#f");
  EXPECT_EQ(to_socket("https://a.example:8443/"), "wss://a.example:8443/");
  EXPECT_EQ(to_socket("wss://a.example/"), "wss://a.example/");
  EXPECT_EQ(to_socket("ftp://a.example/"), "ftp://a.example/");
  EXPECT_EQ(to_http("ws://u:p@[::1]/"), "http://u:p@[::1]/");
  EXPECT_EQ(to_http("wss://a.example/"), "https://a.example/");
  EXPECT_EQ(to_http("data:,x"), "data:,x");
}

TEST(SocketUrl, KeepsThePortThatIsMeant) {
  for (auto const* const text :
       {"ws://a.example:443/", "wss://a.example:80/", "ws://a.example/", "wss://a.example/"}) {
    auto const url = *url::Url::parse(text);
    EXPECT_EQ(as_http_url(url).effective_port(), url.effective_port()) << text;
  }
}

}  // namespace
}  // namespace sallyport::pipeline
