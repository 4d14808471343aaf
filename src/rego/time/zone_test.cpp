#include "src/rego/time/zone.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego::time {
namespace {

Zone const& zone_named(std::string_view name) {
  auto const found = find_zone(name);
  EXPECT_NE(found.zone, nullptr) << name << ": " << found.problem;
  return found.zone == nullptr ? Zone::utc() : *found.zone;
}

TEST(Zone, KnowsWinterAndSummer) {
  auto const& berlin = zone_named("Europe/Berlin");

  EXPECT_EQ(berlin.at(1'705'000'000).offset, 3600);
  EXPECT_EQ(berlin.at(1'705'000'000).abbreviation, "CET");
  EXPECT_EQ(berlin.at(1'720'000'000).offset, 7200);
  EXPECT_EQ(berlin.at(1'720'000'000).abbreviation, "CEST");
}

TEST(Zone, ChangesAtTheSecond) {
  auto const& berlin = zone_named("Europe/Berlin");
  std::int64_t const summer_2024 = 1'711'846'800;  // 2024-03-31T01:00:00Z

  EXPECT_EQ(berlin.at(summer_2024 - 1).offset, 3600);
  EXPECT_EQ(berlin.at(summer_2024).offset, 7200);
}

TEST(Zone, GoesOnAfterTheLastTransitionThatIsListed) {
  std::int64_t const july_2200 = 7'273'670'400;
  std::int64_t const january_2200 = 7'258'118'400;

  EXPECT_EQ(zone_named("America/New_York").at(july_2200).abbreviation, "EDT");
  EXPECT_EQ(zone_named("America/New_York").at(january_2200).abbreviation, "EST");
  EXPECT_EQ(zone_named("Australia/Sydney").at(july_2200).abbreviation, "AEST");
  EXPECT_EQ(zone_named("Australia/Sydney").at(january_2200).abbreviation, "AEDT");
}

TEST(Zone, HasLocalMeanTimeBeforeTheFirstTransition) {
  EXPECT_EQ(zone_named("Europe/Berlin").at(-3'000'000'000).abbreviation, "LMT");
}

TEST(Zone, FindsTheInstantOfALocalTime) {
  auto const& york = zone_named("America/New_York");

  EXPECT_EQ(to_utc(york, 1'705'000'000 - 18'000), 1'705'000'000);
  EXPECT_EQ(to_utc(york, 1'720'000'000 - 14'400), 1'720'000'000);
}

TEST(Zone, DoesNotReadOutsideOfTheDatabase) {
  for (auto const* const name : {"../../etc/passwd", "/etc/localtime", "\\x", "Europe/../UTC"}) {
    EXPECT_EQ(find_zone(name).problem, "time: invalid location name") << name;
  }
  for (auto const* const name :
       {"Nowhere", "Europe//Berlin", "./Europe/Berlin", "Europe/Berlin/", "America", "tzdata.zi"}) {
    EXPECT_EQ(find_zone(name).problem, "unknown time zone " + std::string{name}) << name;
  }
}

TEST(Zone, KeepsWhatItHasRead) {
  EXPECT_EQ(find_zone("Asia/Tokyo").zone, find_zone("Asia/Tokyo").zone);
}

TEST(Zone, RefusesFilesThatAreCutShort) {
  std::string file{"TZif2"};
  file.append(15, '\0');
  file.append(24, '\x7f');

  EXPECT_EQ(Zone::from_tzif(file), nullptr);
  EXPECT_EQ(Zone::from_tzif(""), nullptr);
  EXPECT_EQ(Zone::from_tzif("TZif"), nullptr);
}

TEST(PosixRule, RefusesWhatIsNone) {
  for (auto const* const text : {"", "AB1", "CET", "CET-1CEST,M13.1.0,M10.5.0", "CET-1CEST,M3.5.0",
                                 "CET999", "<+03", "CET-1CEST,M3.5.0,M10.5.0,"}) {
    EXPECT_FALSE(PosixRule::parse(text)) << text;
  }
}

TEST(PosixRule, ReadsJulianDaysAndHoursBeyondTheDay) {
  auto const rule = PosixRule::parse("<-02>2<-01>,J60/-1,364/25:30");
  ASSERT_TRUE(rule);

  // 2023: day 60 without the leap day is the first of March; an hour before it, in local time.
  std::int64_t const begin = 1'677'628'800 - 3600 + 7200;
  EXPECT_EQ(rule->at(begin - 1, 0).offset, -7200);
  EXPECT_EQ(rule->at(begin, 0).abbreviation, "-01");
}

}  // namespace
}  // namespace sallyport::rego::time
