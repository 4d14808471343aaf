#include "src/mcp/revision.hpp"

#include <gtest/gtest.h>

namespace sallyport::mcp {
namespace {

TEST(Revision, HasANameThatReadsBackAsItself) {
  for (auto const revision : kRevisions) {
    EXPECT_EQ(parse_revision(to_string(revision)), revision);
  }
}

TEST(Revision, IsNotReadFromAnythingElse) {
  for (auto const* const text : {"", "2025", "2026-07-28 ", "2026-07-29", "v1", "latest"}) {
    EXPECT_FALSE(parse_revision(text)) << text;
  }
}

TEST(Revision, OnlyTheNewestIsModern) {
  for (auto const revision : kRevisions) {
    EXPECT_EQ(is_modern(revision), revision == Revision::V2026_07_28) << to_string(revision);
  }
}

TEST(Revision, ANameFromTheModernRevisionOnIsOfTheModernEraKnownOrNot) {
  for (auto const* const text : {"2026-07-28", "2026-07-29", "2099-01-01", "v999.0.0"}) {
    EXPECT_TRUE(names_modern_era(text)) << text;
  }
  for (auto const* const text : {"2024-11-05", "2025-11-25", "2026-07-27", "1900-01-01", ""}) {
    EXPECT_FALSE(names_modern_era(text)) << text;
  }
}

TEST(Revision, HasThePartsOfTheProtocolThatItsSpecificationHas) {
  struct Row {
    Revision revision;
    bool batching, audio, annotations, structured, titles, links, icons, core_tasks;
  };
  constexpr Row kRows[] = {
      {Revision::V2024_11_05, true, false, false, false, false, false, false, false},
      {Revision::V2025_03_26, true, true, true, false, false, false, false, false},
      {Revision::V2025_06_18, false, true, true, true, true, true, false, false},
      {Revision::V2025_11_25, false, true, true, true, true, true, true, true},
      {Revision::V2026_07_28, false, true, true, true, true, true, true, false},
  };

  for (auto const& row : kRows) {
    auto const name = to_string(row.revision);
    EXPECT_EQ(has_batching(row.revision), row.batching) << name;
    EXPECT_EQ(has_audio(row.revision), row.audio) << name;
    EXPECT_EQ(has_annotations(row.revision), row.annotations) << name;
    EXPECT_EQ(has_progress_message(row.revision), row.annotations) << name;
    EXPECT_EQ(has_structured_content(row.revision), row.structured) << name;
    EXPECT_EQ(has_titles_and_meta(row.revision), row.titles) << name;
    EXPECT_EQ(has_resource_links(row.revision), row.links) << name;
    EXPECT_EQ(has_icons(row.revision), row.icons) << name;
    EXPECT_EQ(has_core_tasks(row.revision), row.core_tasks) << name;
    EXPECT_EQ(has_priming_events(row.revision), row.core_tasks) << name;
  }
}

}  // namespace
}  // namespace sallyport::mcp
