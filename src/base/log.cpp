#include "src/base/log.hpp"

#include "src/base/iso_time.hpp"

#include <fmt/format.h>

#include <chrono>
#include <iterator>
#include <memory>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <string>

namespace sallyport::log {
namespace {

spdlog::level::level_enum to_spdlog(Level level) {
  switch (level) {
    case Level::Trace: return spdlog::level::trace;
    case Level::Debug: return spdlog::level::debug;
    case Level::Info: return spdlog::level::info;
    case Level::Warn: return spdlog::level::warn;
    case Level::Error: return spdlog::level::err;
    case Level::Off: return spdlog::level::off;
  }
  return spdlog::level::info;
}

struct State {
  std::shared_ptr<spdlog::logger> logger;
  Format format{Format::Text};
};

std::shared_ptr<spdlog::logger> make_logger(Options const& options) {
  auto logger = std::make_shared<spdlog::logger>("sallyport",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
  logger->set_level(to_spdlog(options.level));
  logger->flush_on(spdlog::level::trace);
  logger->set_pattern(options.format == Format::Json ? "%v" : "%Y-%m-%dT%H:%M:%S.%eZ %v",
                      spdlog::pattern_time_type::utc);
  return logger;
}

State& state() {
  static State instance{make_logger({})};
  return instance;
}

// Control characters are escaped in both formats: a peer must not be able to forge a line.
void append_escaped(std::string& out, std::string_view text) {
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text);
  out += '"';
}

void append_value(std::string& out, Field const& field) {
  if (auto const* text = std::get_if<std::string_view>(&field.value)) {
    append_quoted(out, *text);
    return;
  }
  std::visit(
      [&](auto const& value) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::string_view>) {
          fmt::format_to(std::back_inserter(out), "{}", value);
        }
      },
      field.value);
}

std::string_view level_name(Level level) {
  switch (level) {
    case Level::Trace: return "trace";
    case Level::Debug: return "debug";
    case Level::Info: return "info";
    case Level::Warn: return "warn";
    case Level::Error: return "error";
    case Level::Off: return "off";
  }
  return "info";
}

std::string json_line(Level level, std::string_view event, Fields fields) {
  auto line = fmt::format(R"({{"time":"{}","level":"{}","event":)",
                          iso_time(std::chrono::system_clock::now()), level_name(level));
  append_quoted(line, event);
  for (auto const& field : fields) {
    line += ',';
    append_quoted(line, field.name);
    line += ':';
    append_value(line, field);
  }
  line += '}';
  return line;
}

std::string text_line(Level level, std::string_view event, Fields fields) {
  auto line = fmt::format("{:<5} ", level_name(level));
  append_escaped(line, event);
  for (auto const& field : fields) {
    line += ' ';
    line += field.name;
    line += '=';
    append_value(line, field);
  }
  return line;
}

}  // namespace

void configure(Options options) {
  state().logger = make_logger(options);
  state().format = options.format;
}

bool enabled(Level level) noexcept {
  return state().logger->should_log(to_spdlog(level));
}

void write(Level level, std::string_view event, Fields fields) {
  if (!enabled(level)) return;
  auto const line = state().format == Format::Json ? json_line(level, event, fields)
                                                   : text_line(level, event, fields);
  state().logger->log(to_spdlog(level), spdlog::string_view_t{line.data(), line.size()});
}

}  // namespace sallyport::log
