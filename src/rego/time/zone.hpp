// Time zones: what the clocks of a place show at an instant.
//
// Read from the system's database (the package tzdata) when a zone is first named, and kept for the
// thread: there is no lock, and what is kept is bounded by the files that exist.
#pragma once

#include "src/rego/time/posix_rule.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::rego::time {

// What holds from `start` until before `end`, in seconds since the epoch.
struct ZoneSpan {
  std::string_view abbreviation;  // "CET"; in the zone
  int offset{0};                  // seconds east of UTC
  std::int64_t start{0};
  std::int64_t end{0};
};

class Zone {
 public:
  static Zone const& utc();

  // From the bytes of a TZif file (RFC 8536). Nothing where they are none.
  static std::unique_ptr<Zone const> from_tzif(std::string_view bytes);

  ZoneSpan at(std::int64_t seconds) const;

 private:
  friend class TzifReader;

  struct Kind {
    int offset{0};
    bool is_daylight{false};
    std::string abbreviation;
  };
  struct Transition {
    std::int64_t at{0};
    std::size_t kind{0};
  };

  std::size_t kind_before_first() const noexcept;

  std::vector<Kind> kinds_;  // at least one
  std::vector<Transition> transitions_;
  std::optional<PosixRule> after_last_;
};

struct FoundZone {
  Zone const* zone{nullptr};  // null: `problem` says why; lives as long as the thread
  std::string problem;
};

// By its name in the database, as Go's time.LoadLocation. "" and "UTC" are UTC; so is "Local": what
// a policy says must not depend on the machine that asks it.
FoundZone find_zone(std::string_view name);

// The instant at which the clocks of a zone show these seconds (of a local time). Where they show
// it twice or never, what Go's time.Date gives.
std::int64_t to_utc(Zone const& zone, std::int64_t local_seconds);

}  // namespace sallyport::rego::time
