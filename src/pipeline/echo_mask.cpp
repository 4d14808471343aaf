#include "src/pipeline/echo_mask.hpp"

#include <algorithm>

namespace sallyport::pipeline {
namespace {

constexpr std::size_t kShortestSecret = 8;

bool is_in(std::string_view text, std::string_view secret) noexcept {
  return text.find(secret) != std::string_view::npos;
}

}  // namespace

void EchoMask::add(std::string_view value) {
  auto const blank = value.find(' ');
  auto const bare = blank == std::string_view::npos ? value : value.substr(blank + 1);
  bool const known =
      std::ranges::any_of(secrets_, [&](Secret const& secret) { return secret.reveal() == bare; });
  // What holds the bare value is masked by it.
  if (bare.size() >= kShortestSecret && !known) secrets_.emplace_back(std::string{bare});
}

void EchoMask::apply(std::string& text) const {
  for (auto const& secret : secrets_) {
    std::string_view const wanted = secret.reveal();
    for (auto at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at)) {
      std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), wanted.size(), '*');
      at += wanted.size();
    }
  }
}

void EchoMask::apply(egress::ResponseHead& head) const {
  auto const echoes = [&](http::Headers::Field const& field) {
    return std::ranges::any_of(
        secrets_, [&](Secret const& secret) { return is_in(field.value, secret.reveal()); });
  };
  if (std::ranges::none_of(head.headers, echoes)) return;
  http::Headers masked;
  for (auto const& field : head.headers) {
    auto value = field.value;
    apply(value);
    masked.add(field.name, std::move(value));
  }
  head.headers = std::move(masked);
}

}  // namespace sallyport::pipeline
