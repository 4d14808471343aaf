#include "src/rego/time/zone.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <unordered_map>

namespace sallyport::rego::time {
namespace {

constexpr std::string_view kDatabase = "/usr/share/zoneinfo/";
constexpr std::size_t kLongestName = 64;
constexpr std::size_t kLargestFile = std::size_t{256} * 1024;
constexpr auto kForever = std::numeric_limits<std::int64_t>::max();
constexpr auto kBeginning = std::numeric_limits<std::int64_t>::min();

struct CloseFile {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};

std::optional<std::string> read_file(std::string const& path) {
  std::unique_ptr<std::FILE, CloseFile> const file{std::fopen(path.c_str(), "rbe")};
  if (file == nullptr) return std::nullopt;
  std::string bytes(kLargestFile, '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file.get()));
  if (std::ferror(file.get()) != 0) return std::nullopt;  // a folder
  return bytes;
}

// SECURITY: no name leaves the database, and no two spellings name one file: otherwise a peer could
// make a thread keep the same zone any number of times.
bool is_zone_name(std::string_view name) noexcept {
  if (name.empty() || name.size() > kLongestName) return false;
  auto const is_allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '+' || c == '-' || c == '/';
  };
  if (!std::ranges::all_of(name, is_allowed)) return false;
  return name.front() != '/' && name.back() != '/' && name.find("//") == std::string_view::npos;
}

// A transparent map: looking up costs no allocation.
struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>{}(text);
  }
};
using Zones = std::unordered_map<std::string, std::unique_ptr<Zone const>, Hash, std::equal_to<>>;

}  // namespace

Zone const& Zone::utc() {
  static Zone const zone = [] {
    Zone utc;
    utc.kinds_.push_back({.abbreviation = "UTC"});
    return utc;
  }();
  return zone;
}

// Case by case what Go (and the reference implementation of tzcode) do.
std::size_t Zone::kind_before_first() const noexcept {
  auto const is_zero = [](Transition const& transition) { return transition.kind == 0; };
  if (std::ranges::none_of(transitions_, is_zero)) return 0;
  if (kinds_[transitions_.front().kind].is_daylight) {
    for (auto kind = transitions_.front().kind; kind-- > 0;) {
      if (!kinds_[kind].is_daylight) return kind;
    }
  }
  auto const standard = std::ranges::find(kinds_, false, &Kind::is_daylight);
  return standard == kinds_.end() ? 0 : static_cast<std::size_t>(standard - kinds_.begin());
}

ZoneSpan Zone::at(std::int64_t seconds) const {
  auto const span_of = [this](std::size_t kind, std::int64_t start, std::int64_t end) {
    return ZoneSpan{kinds_[kind].abbreviation, kinds_[kind].offset, start, end};
  };
  if (transitions_.empty()) {
    if (after_last_) return after_last_->at(seconds, kBeginning);
    return span_of(kind_before_first(), kBeginning, kForever);
  }
  auto const next = std::ranges::upper_bound(transitions_, seconds, {}, &Transition::at);
  if (next == transitions_.begin()) return span_of(kind_before_first(), kBeginning, next->at);
  auto const current = next - 1;
  if (next != transitions_.end()) return span_of(current->kind, current->at, next->at);
  if (after_last_) return after_last_->at(seconds, current->at);
  return span_of(current->kind, current->at, kForever);
}

FoundZone find_zone(std::string_view name) {
  if (name.empty() || name == "UTC" || name == "Local") return {.zone = &Zone::utc()};
  if (name.find("..") != std::string_view::npos || name.front() == '/' || name.front() == '\\') {
    return {.problem = "time: invalid location name"};
  }
  thread_local Zones zones;
  if (auto const known = zones.find(name); known != zones.end())
    return {.zone = known->second.get()};
  if (is_zone_name(name)) {
    std::string key{name};
    auto const bytes = read_file(std::string{kDatabase} + key);
    auto zone = bytes ? Zone::from_tzif(*bytes) : nullptr;
    if (zone) return {.zone = zones.emplace(std::move(key), std::move(zone)).first->second.get()};
  }
  return {.problem = "unknown time zone " + std::string{name}};
}

std::int64_t to_utc(Zone const& zone, std::int64_t local_seconds) {
  auto const guess = zone.at(local_seconds);
  if (guess.offset == 0) return local_seconds;
  auto const seconds = local_seconds - guess.offset;
  if (seconds >= guess.start && seconds < guess.end) return seconds;
  return local_seconds - zone.at(seconds).offset;
}

}  // namespace sallyport::rego::time
