#include "src/url/quoted.hpp"

#include "src/url/percent_encode.hpp"

namespace sallyport::url {

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string out = "\"";
  append_encoded(out, text.substr(0, kLongest), kControlSet);
  out += text.size() > kLongest ? "…\"" : "\"";
  return out;
}

}  // namespace sallyport::url
