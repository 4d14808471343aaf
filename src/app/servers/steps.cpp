#include "src/app/servers/steps.hpp"

#include "src/app/audit_text.hpp"

#include <fmt/format.h>

#include <ostream>

namespace sallyport::app::servers {

void Steps::begin(std::string_view step) {
  step_ = step;
  if (style_ == Style::Terminal) out_ << fmt::format("  .. {:<8} …", step_) << std::flush;
}

void Steps::end(std::string_view mark, std::string_view text) {
  // Back to the beginning of the line, and what was there is taken away.
  if (style_ == Style::Terminal) out_ << "\r\x1b[K";
  out_ << fmt::format("  {} {:<8} {}\n", mark, step_, for_terminal(text)) << std::flush;
}

void Steps::done(std::string_view text) {
  end("ok", text);
}

void Steps::failed(std::string_view why, std::string_view mend) {
  end("no", why);
  while (!mend.empty()) {
    auto const line = mend.substr(0, mend.find('\n'));
    out_ << fmt::format("     {:<8} {}\n", "", for_terminal(line));
    mend.remove_prefix(std::min(line.size() + 1, mend.size()));
  }
  out_ << std::flush;
}

}  // namespace sallyport::app::servers
