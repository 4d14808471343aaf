#include "src/tools/run_js/console_relay.hpp"

#include "src/content/utf8.hpp"

namespace sallyport::tools {
namespace {

constexpr std::size_t kLoggedLines = 1000;
constexpr std::size_t kLoggedBytes = 256UL * 1024;
constexpr std::size_t kReportedBytes = 200;
constexpr std::chrono::milliseconds kReportEvery{100};
constexpr std::string_view kLogger = "run_js";

mcp::LogLevel console_level(std::string_view level) noexcept {
  if (level == "error") return mcp::LogLevel::Error;
  if (level == "warn") return mcp::LogLevel::Warning;
  if (level == "debug" || level == "trace") return mcp::LogLevel::Debug;
  return mcp::LogLevel::Info;
}

std::string_view beginning_of(std::string_view text, std::size_t most) noexcept {
  if (text.size() <= most) return text;
  while (most > 0 && content::is_utf8_continuation(text[most])) --most;
  return text.substr(0, most);
}

}  // namespace

void ConsoleRelay::wrote(std::string_view level, std::string_view text) {
  ++lines_;
  log(level, text);
  report(text);
}

void ConsoleRelay::log(std::string_view level, std::string_view text) {
  if (silent_) return;
  logged_bytes_ += text.size();
  silent_ = lines_ > kLoggedLines || logged_bytes_ > kLoggedBytes;
  if (silent_) {
    context_.log(mcp::LogLevel::Notice, "[More console output follows in the result only.]",
                 kLogger);
    return;
  }
  context_.log(console_level(level), json::Value(text), kLogger);
}

void ConsoleRelay::report(std::string_view text) {
  auto const now = Clock::now();
  if (now < next_report_) return;
  next_report_ = now + kReportEvery;
  context_.progress(static_cast<double>(lines_), {}, beginning_of(text, kReportedBytes));
}

}  // namespace sallyport::tools
