#include "src/tools/paging.hpp"

#include "src/content/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sallyport::tools {
namespace {

std::size_t next_edge(std::string_view text, std::size_t at) noexcept {
  while (at < text.size() && content::is_utf8_continuation(text[at])) ++at;
  return at;
}

std::size_t last_edge(std::string_view text, std::size_t at) noexcept {
  while (at > 0 && at < text.size() && content::is_utf8_continuation(text[at])) --at;
  return at;
}

std::size_t end_of(std::string_view text, std::size_t start, std::size_t max_length) noexcept {
  if (max_length >= text.size() - start) return text.size();
  auto const end = last_edge(text, start + max_length);
  if (end <= start) return next_edge(text, start + 1);
  auto const line_end = text.substr(0, end).rfind('\n');
  bool const near = line_end != std::string_view::npos && line_end >= end - (end - start) / 5;
  return near && line_end + 1 > start ? line_end + 1 : end;
}

}  // namespace

Result<Window> window(std::string_view text, std::size_t start_index, std::size_t max_length) {
  auto const start = next_edge(text, std::min(start_index, text.size()));
  if (start_index > 0 && start >= text.size()) {
    return fail(Errc::InvalidInput,
                fmt::format("start_index {} is beyond the end: the text has {} bytes.", start_index,
                            text.size()));
  }
  return Window{start, end_of(text, start, max_length), text.size()};
}

}  // namespace sallyport::tools
