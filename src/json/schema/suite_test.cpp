// The official JSON Schema Test Suite, from Debian's libtest-json-schema-acceptance-perl.
#include "src/json/parse.hpp"
#include "src/json/schema.hpp"

#include "tests/support/not_tested.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

namespace sallyport::json {
namespace {

namespace fs = std::filesystem;

constexpr auto kSuite = "/usr/share/perl5/auto/share/dist/Test-JSON-Schema-Acceptance";

struct Tally {
  std::size_t run{0};
  std::vector<std::string> failed;

  std::size_t passed() const { return run - failed.size(); }
  double percent() const {
    return run == 0 ? 0.0 : 100.0 * static_cast<double>(passed()) / static_cast<double>(run);
  }
};

Value read(fs::path const& path) {
  std::ifstream file{path};
  std::string const text{std::istreambuf_iterator<char>{file}, {}};
  auto document = parse(text);
  EXPECT_TRUE(document) << path << ": " << document.error().message;
  return document ? std::move(*document) : Value(Array{});
}

std::vector<fs::path> json_files(fs::path const& folder) {
  std::vector<fs::path> files;
  for (auto const& entry : fs::directory_iterator{folder}) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

KnownSchemas remotes() {
  KnownSchemas known;
  auto const folder = fs::path{kSuite} / "remotes";
  for (auto const& entry : fs::recursive_directory_iterator{folder}) {
    if (entry.path().extension() != ".json") continue;
    auto const name = fs::relative(entry.path(), folder).generic_string();
    known.emplace("http://localhost:1234/" + name, read(entry.path()));
  }
  return known;
}

std::string text_of(Value const& object, std::string_view member) {
  return std::string{view(object.at(member).as_string())};
}

// Without a $schema the suite means the draft of its folder.
Value in_dialect(Value const& schema, std::string_view dialect) {
  if (dialect.empty() || !schema.is_object() || schema.get_object().contains("$schema")) {
    return schema;
  }
  auto copy = schema;
  copy.get_object()["$schema"] = dialect;
  return copy;
}

void run_group(Value const& group, KnownSchemas const& known, std::string const& where,
               std::string_view dialect, Tally& tally) {
  auto const schema = Schema::compile(in_dialect(group.at("schema"), dialect), {}, known);
  for (auto const& test : group.at("tests").as_array()) {
    ++tally.run;
    auto const name = fmt::format("{}: {}: {}", where, text_of(group, "description"),
                                  text_of(test, "description"));
    if (!schema) {
      tally.failed.push_back(name + ": " + schema.error().message);
      continue;
    }
    auto const result = schema->validate(test.at("data"));
    if (result.has_value() != test.at("valid").as_bool()) {
      tally.failed.push_back(name + ": " + (result ? "accepted" : result.error().message));
    }
  }
}

Tally run_folder(std::string const& folder, KnownSchemas const& known,
                 std::string_view dialect = {}) {
  Tally tally;
  for (auto const& file : json_files(fs::path{kSuite} / "tests" / folder)) {
    auto const document = read(file);
    for (auto const& group : document.as_array()) {
      run_group(group, known, file.filename().string(), dialect, tally);
    }
  }
  fmt::print("JSON Schema Test Suite, {}: {} of {} pass ({:.2f} %)\n", folder, tally.passed(),
             tally.run, tally.percent());
  for (auto const& name : tally.failed) fmt::print("  fails: {}\n", name);
  return tally;
}

class SchemaSuite : public testing::Test {
 protected:
  void SetUp() override {
    if (fs::exists(kSuite)) return;
    SP_NOT_TESTED("the JSON Schema Test Suite: install libtest-json-schema-acceptance-perl.");
  }
};

TEST_F(SchemaSuite, PassesTheRequiredTests) {
  auto const tally = run_folder("draft2020-12", remotes());

  EXPECT_GT(tally.run, 1000U);
  EXPECT_GE(tally.percent(), 99.0);
}

// Older drafts are read as far as they concern validation; what is missing is in the README.
TEST_F(SchemaSuite, ReadsOlderDraftsForTheMostPart) {
  auto const known = remotes();

  auto const draft07 = run_folder("draft7", known, "http://json-schema.org/draft-07/schema#");
  auto const draft201909 =
      run_folder("draft2019-09", known, "https://json-schema.org/draft/2019-09/schema");

  EXPECT_GE(draft07.percent(), 95.0);
  EXPECT_GE(draft201909.percent(), 95.0);
}

}  // namespace
}  // namespace sallyport::json
