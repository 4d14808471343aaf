// Structured logs on stderr: one line per event, JSON or readable text.
//
// Every field has a name; values of type Secret do not convert, so they cannot be logged. Cheap
// when the level is off: LOG-like macros are not needed because fields are views.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <variant>

namespace sallyport::log {

enum class Level { Trace, Debug, Info, Warn, Error, Off };
enum class Format { Text, Json };

struct Options {
  Level level{Level::Info};
  Format format{Format::Text};
};

// Call once, before the first thread starts. Before it, text at level Info.
void configure(Options options);
bool enabled(Level level) noexcept;

struct Field {
  std::string_view name;
  std::variant<std::string_view, std::int64_t, std::uint64_t, double, bool> value;

  Field(std::string_view field, std::string_view text) : name{field}, value{text} {}
  Field(std::string_view field, std::int64_t number) : name{field}, value{number} {}
  Field(std::string_view field, std::uint64_t number) : name{field}, value{number} {}
  Field(std::string_view field, int number) : name{field}, value{std::int64_t{number}} {}
  Field(std::string_view field, double number) : name{field}, value{number} {}
  Field(std::string_view field, bool flag) : name{field}, value{flag} {}
  Field(std::string_view field, char const* text) : name{field}, value{std::string_view{text}} {}
};

using Fields = std::initializer_list<Field>;

// From any thread. `event` is a short constant text ("request", "session closed").
void write(Level level, std::string_view event, Fields fields = {});

inline void debug(std::string_view event, Fields fields = {}) {
  write(Level::Debug, event, fields);
}
inline void info(std::string_view event, Fields fields = {}) {
  write(Level::Info, event, fields);
}
inline void warn(std::string_view event, Fields fields = {}) {
  write(Level::Warn, event, fields);
}
inline void error(std::string_view event, Fields fields = {}) {
  write(Level::Error, event, fields);
}

}  // namespace sallyport::log
