// The steps of a visit, as they happen: one line each, which on a terminal is there from the
// beginning of the step.
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

namespace sallyport::app::servers {

class Steps {
 public:
  enum class Style { Terminal, Plain };
  Steps(std::ostream& out, Style style) : out_{out}, style_{style} {}

  void begin(std::string_view step);
  void done(std::string_view text);
  // With what can be done about it, where something can; may have several lines.
  void failed(std::string_view why, std::string_view mend = {});

 private:
  void end(std::string_view mark, std::string_view text);

  std::ostream& out_;
  Style style_;
  std::string step_;
};

}  // namespace sallyport::app::servers
