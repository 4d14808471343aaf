#include "src/rego/budget.hpp"
#include "src/rego/builtins/tables.hpp"
#include "src/rego/number.hpp"
#include "src/rego/time/duration.hpp"
#include "src/rego/time/layout.hpp"

#include <array>
#include <limits>
#include <optional>

namespace sallyport::rego::builtins {
namespace {

__extension__ using Wide = __int128;

// Beyond these no result fits into nanoseconds of 64 bits, whatever is added up.
constexpr std::int64_t kMostYears = 100'000;
constexpr std::int64_t kMostDays = kMostYears * 366;

struct Moment {
  time::Instant instant;
  time::Zone const* zone{nullptr};
  std::string_view layout;

  std::int64_t local_seconds() const { return instant.seconds + zone->at(instant.seconds).offset; }
};

// A number of nanoseconds, [number, zone] or [number, zone, layout]. Nothing where it is none of
// these; the call then has its error.
std::optional<Moment> moment_operand(BuiltinCall& call, Value operand) {
  static constexpr std::string_view kWanted = "either number (ns) or [number (ns), string (tz)]";
  Moment moment{.zone = &time::Zone::utc()};
  auto number = operand;
  if (operand.is(Kind::Array) && operand.size() > 0) {
    auto const items = operand.items();
    number = items[0];
    if (!number.is(Kind::Number)) return call.wrong_type(1, "number", number), std::nullopt;
    if (items.size() > 1) {
      if (!items[1].is(Kind::String)) return call.wrong_type(1, "string", items[1]), std::nullopt;
      auto found = time::find_zone(items[1].as_string());
      if (found.zone == nullptr) return call.fail(std::move(found.problem)), std::nullopt;
      moment.zone = found.zone;
    }
    if (items.size() > 2) {
      if (!items[2].is(Kind::String)) return call.wrong_type(1, "string", items[2]), std::nullopt;
      moment.layout = items[2].as_string();
    }
  } else if (!operand.is(Kind::Number)) {
    return call.wrong_type(1, kWanted, operand), std::nullopt;
  }
  auto const nanoseconds = to_int64(number);
  if (!nanoseconds) return call.fail("timestamp too big"), std::nullopt;
  moment.instant = time::instant_of(*nanoseconds);
  return moment;
}

Value nanoseconds_of(BuiltinCall& call, time::Instant instant) {
  auto const all = Wide{instant.seconds} * 1'000'000'000 + instant.nanoseconds;
  if (all < std::numeric_limits<std::int64_t>::min() ||
      all > std::numeric_limits<std::int64_t>::max()) {
    return call.fail("time outside of valid range");
  }
  return Value::integer(static_cast<std::int64_t>(all));
}

template <std::size_t N>
Value array_of(Arena& arena, std::array<std::int64_t, N> const& numbers) {
  auto const items = arena.allocate_span<Value>(N);
  for (std::size_t i = 0; i < N; ++i) std::construct_at(&items[i], Value::integer(numbers[i]));
  return Value::array(items);
}

Value now_ns(BuiltinCall& call, Operands) {
  return Value::integer(call.now.count());
}

Value parse_with(BuiltinCall& call, std::string_view layout, std::string_view text) {
  auto parsed = time::parse(layout, text);
  if (!parsed.problem.empty()) return call.fail(std::move(parsed.problem));
  return nanoseconds_of(call, parsed.instant);
}

Value parse_ns(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  if (!operands[1].is(Kind::String)) return call.wrong_type(2, "string", operands[1]);
  return parse_with(call, time::named_layout(operands[0].as_string()), operands[1].as_string());
}

Value parse_rfc3339_ns(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  return parse_with(call, time::named_layout("RFC3339"), operands[0].as_string());
}

Value parse_duration_ns(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  auto parsed = time::parse_duration(operands[0].as_string());
  if (!parsed.problem.empty()) return call.fail(std::move(parsed.problem));
  return Value::integer(parsed.nanoseconds);
}

Value format(BuiltinCall& call, Operands operands) {
  auto const moment = moment_operand(call, operands[0]);
  if (!moment) return {};
  auto const layout = time::named_layout(moment->layout.empty() ? "RFC3339Nano" : moment->layout);
  if (!call.budget.charge(layout.size() / 16)) return {};
  return Value::string(call.arena.copy(time::format(moment->instant, *moment->zone, layout)));
}

Value date(BuiltinCall& call, Operands operands) {
  auto const moment = moment_operand(call, operands[0]);
  if (!moment) return {};
  auto const date = time::date_of(time::day_number(moment->local_seconds()));
  return array_of<3>(call.arena, {date.year, date.month, date.day});
}

Value clock(BuiltinCall& call, Operands operands) {
  auto const moment = moment_operand(call, operands[0]);
  if (!moment) return {};
  auto const clock = time::clock_of(moment->local_seconds());
  return array_of<3>(call.arena, {clock.hour, clock.minute, clock.second});
}

Value weekday(BuiltinCall& call, Operands operands) {
  auto const moment = moment_operand(call, operands[0]);
  if (!moment) return {};
  auto const day = time::day_number(moment->local_seconds());
  return Value::string(time::weekday_name(time::weekday_of(day)));
}

Value add_date(BuiltinCall& call, Operands operands) {
  auto const moment = moment_operand(call, operands[0]);
  if (!moment) return {};
  std::array<std::int64_t, 3> added{};  // years, months, days
  for (std::size_t i = 0; i < added.size(); ++i) {
    auto const position = static_cast<int>(i) + 2;
    auto const operand = operands[i + 1];
    if (!operand.is(Kind::Number)) return call.wrong_type(position, "number", operand);
    if (!operand.is_int64()) {
      return call.wrong_operand(position, "must be integer number but got floating-point number");
    }
    added[i] = operand.as_int64();
  }
  auto const is_beyond = [](std::int64_t value, std::int64_t most) {
    return value < -most || value > most;
  };
  if (is_beyond(added[0], kMostYears) || is_beyond(added[1], kMostYears * 12) ||
      is_beyond(added[2], kMostDays)) {
    return call.fail("time outside of valid range");
  }
  auto const local = moment->local_seconds();
  auto const date = time::date_of(time::day_number(local));
  auto const of_day = local - time::day_number(local) * time::kSecondsPerDay;
  auto const months = date.month - 1 + added[1];
  auto const years = months / 12 - (months % 12 < 0 ? 1 : 0);
  auto const days = time::days_of(date.year + added[0] + years,
                                  static_cast<int>(months - years * 12) + 1, date.day + added[2]);
  auto const seconds = time::to_utc(*moment->zone, days * time::kSecondsPerDay + of_day);
  return nanoseconds_of(call, {.seconds = seconds, .nanoseconds = moment->instant.nanoseconds});
}

Value diff(BuiltinCall& call, Operands operands) {
  auto first = moment_operand(call, operands[0]);
  if (!first) return {};
  auto second = moment_operand(call, operands[1]);
  if (!second) return {};
  second->zone = first->zone;
  auto const is_after = std::pair{first->instant.seconds, first->instant.nanoseconds} >
                        std::pair{second->instant.seconds, second->instant.nanoseconds};
  if (is_after) std::swap(first, second);
  auto const from = time::date_of(time::day_number(first->local_seconds()));
  auto const until = time::date_of(time::day_number(second->local_seconds()));
  auto const from_clock = time::clock_of(first->local_seconds());
  auto const until_clock = time::clock_of(second->local_seconds());
  std::array<std::int64_t, 6> parts{until.year - from.year,
                                    until.month - from.month,
                                    until.day - from.day,
                                    until_clock.hour - from_clock.hour,
                                    until_clock.minute - from_clock.minute,
                                    until_clock.second - from_clock.second};
  // What each part borrows from the one before it.
  std::array<int, 6> const borrowed{0, 12, time::days_in(from.month, from.year), 24, 60, 60};
  for (std::size_t i = parts.size() - 1; i > 0; --i) {
    if (parts[i] >= 0) continue;
    parts[i] += borrowed[i];
    --parts[i - 1];
  }
  return array_of(call.arena, parts);
}

constexpr std::array kTable{
    Builtin{"time.add_date", "number, number, number, number -> number", add_date},
    Builtin{"time.clock", "any<number, array<number, string>> -> array<number, number, number>",
            clock},
    Builtin{"time.date", "any<number, array<number, string>> -> array<number, number, number>",
            date},
    Builtin{"time.diff",
            "any<number, array<number, string>>, any<number, array<number, string>> -> "
            "array<number, number, number, number, number, number>",
            diff},
    Builtin{"time.format",
            "any<number, array<number, string>, array<number, string, string>> -> string", format},
    Builtin{"time.now_ns", "-> number", now_ns, nullptr, Builtin::kNondeterministic},
    Builtin{"time.parse_duration_ns", "string -> number", parse_duration_ns},
    Builtin{"time.parse_ns", "string, string -> number", parse_ns},
    Builtin{"time.parse_rfc3339_ns", "string -> number", parse_rfc3339_ns},
    Builtin{"time.weekday", "any<number, array<number, string>> -> string", weekday},
};

}  // namespace

BuiltinTable time() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
