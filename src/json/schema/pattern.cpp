#include "src/json/schema/pattern.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

namespace sallyport::json {
Result<Pattern> Pattern::create(std::string_view ecma, std::int64_t memory) {
  SP_TRY(auto const translated, to_re2_syntax(ecma));
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(memory);
  options.set_never_capture(true);
  auto compiled = std::make_unique<re2::RE2>(translated, options);
  if (!compiled->ok()) return fail(Errc::InvalidInput, compiled->error());
  return Pattern{std::string{ecma}, std::move(compiled)};
}

Pattern::Pattern(std::string source, std::unique_ptr<re2::RE2> compiled)
    : source_(std::move(source)),
      compiled_(std::move(compiled)),
      size_(static_cast<std::size_t>(compiled_->ProgramSize())) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

bool Pattern::found_in(std::string_view text) const {
  return compiled_->Match({text.data(), text.size()}, 0, text.size(), re2::RE2::UNANCHORED, nullptr,
                          0);
}

}  // namespace sallyport::json
