#include "src/audit/time_text.hpp"

#include <array>
#include <optional>

namespace sallyport::audit {
namespace {

using std::chrono::microseconds;

void put(char* at, int digits, unsigned value) {
  for (char* digit = at + digits - 1; digit >= at; --digit, value /= 10) {
    *digit = static_cast<char>('0' + value % 10);
  }
}

// Reads from the front of a text; once something did not fit, nothing fits any more.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_{text} {}

  int number(std::size_t digits) {
    if (rest_.size() < digits) good_ = false;
    int value = 0;
    for (std::size_t i = 0; good_ && i < digits; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') good_ = false;
      value = value * 10 + (rest_[i] - '0');
    }
    if (good_) rest_.remove_prefix(digits);
    return good_ ? value : 0;
  }
  bool take(char c) {
    if (!good_ || rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) { good_ = take(c) && good_; }
  bool next_is_digit() const {
    return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
  }
  bool at_end() const { return good_ && rest_.empty(); }
  bool good() const { return good_; }

 private:
  std::string_view rest_;
  bool good_{true};
};

std::optional<microseconds> read_clock(Scanner& scanner) {
  int const hours = scanner.number(2);
  scanner.expect(':');
  int const minutes = scanner.number(2);
  int const seconds = scanner.take(':') ? scanner.number(2) : 0;
  microseconds fraction{0};
  if (scanner.take('.')) {
    if (!scanner.next_is_digit()) return std::nullopt;
    for (std::int64_t unit = 100'000; scanner.next_is_digit(); unit /= 10) {
      if (unit == 0) return std::nullopt;
      fraction += microseconds{unit * scanner.number(1)};
    }
  }
  if (!scanner.good() || hours > 23 || minutes > 59 || seconds > 59) return std::nullopt;
  return std::chrono::hours{hours} + std::chrono::minutes{minutes} + std::chrono::seconds{seconds} +
         fraction;
}

std::optional<std::chrono::minutes> read_offset(Scanner& scanner) {
  if (scanner.take('Z') || scanner.at_end()) return std::chrono::minutes{0};
  int const sign = scanner.take('-') ? -1 : 1;
  if (sign == 1) scanner.expect('+');
  int const hours = scanner.number(2);
  scanner.expect(':');
  int const minutes = scanner.number(2);
  if (!scanner.good() || hours > 23 || minutes > 59) return std::nullopt;
  return std::chrono::minutes{sign * (hours * 60 + minutes)};
}

std::optional<Time> read_time(std::string_view text) {
  Scanner scanner{text};
  std::chrono::year const year{scanner.number(4)};
  scanner.expect('-');
  std::chrono::month const month{static_cast<unsigned>(scanner.number(2))};
  scanner.expect('-');
  std::chrono::day const day{static_cast<unsigned>(scanner.number(2))};
  std::chrono::year_month_day const date{year, month, day};
  // The system's clock counts nanoseconds in 64 bits: it knows no other years.
  bool const known = year >= std::chrono::year{1700} && year <= std::chrono::year{2261};
  if (!scanner.good() || !date.ok() || !known) return std::nullopt;
  Time const midnight = std::chrono::sys_days{date};
  if (scanner.at_end()) return midnight;
  if (!scanner.take('T')) scanner.expect(' ');
  auto const clock = read_clock(scanner);
  if (!clock) return std::nullopt;
  auto const offset = read_offset(scanner);
  if (!offset || !scanner.at_end()) return std::nullopt;
  return midnight + *clock - *offset;
}

}  // namespace

std::int64_t microseconds_of(Time time) noexcept {
  return std::chrono::floor<microseconds>(time.time_since_epoch()).count();
}

Time time_of(std::int64_t count) noexcept {
  // What a damaged file says must not overflow the clock's nanoseconds.
  constexpr std::int64_t kLimit = 9'000'000'000'000'000;
  return Time{microseconds{count > kLimit ? kLimit : (count < -kLimit ? -kLimit : count)}};
}

std::string time_text(Time time) {
  auto const days = std::chrono::floor<std::chrono::days>(time);
  std::chrono::year_month_day const date{days};
  std::chrono::hh_mm_ss const clock{std::chrono::floor<microseconds>(time - days)};
  std::string text = "0000-00-00T00:00:00.000000Z";
  put(text.data(), 4, static_cast<unsigned>(int{date.year()}));
  put(text.data() + 5, 2, unsigned{date.month()});
  put(text.data() + 8, 2, unsigned{date.day()});
  put(text.data() + 11, 2, static_cast<unsigned>(clock.hours().count()));
  put(text.data() + 14, 2, static_cast<unsigned>(clock.minutes().count()));
  put(text.data() + 17, 2, static_cast<unsigned>(clock.seconds().count()));
  put(text.data() + 20, 6, static_cast<unsigned>(clock.subseconds().count()));
  return text;
}

Result<Time> parse_time(std::string_view text) {
  if (auto const time = read_time(text)) return *time;
  return fail(Errc::InvalidInput,
              "The time must look like 2026-07-28 or 2026-07-28T12:00:00Z (UTC, or with an offset "
              "such as +02:00).");
}

}  // namespace sallyport::audit
