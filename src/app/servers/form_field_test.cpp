#include "src/app/servers/form_field.hpp"

#include "src/json/parse.hpp"
#include "src/json/write.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace sallyport::app::servers {
namespace {

using testing::HasSubstr;

FormField field(std::string const& property, bool required = false) {
  auto const schema = json::parse(fmt::format(R"({{"properties": {{"f": {}}}, "required": [{}]}})",
                                              property, required ? "\"f\"" : ""));
  return form_fields(schema->get_object()).front();
}

std::string answer(FormField const& asked, std::string_view line) {
  auto const read = read_answer(asked, line);
  if (!read) return read.error().message;
  return *read ? json::to_text(**read) : "(none)";
}

TEST(FormField, IsAskedForByItsTitle) {
  EXPECT_EQ(prompt_of(field(R"({"type": "string", "title": "Your name"})", true)), "Your name: ");
  EXPECT_EQ(prompt_of(field(R"({"type": "integer", "default": 5})")),
            "f, a whole number (default 5): ");
  EXPECT_EQ(prompt_of(field(R"({"type": "boolean"})")), "f, y or n (optional): ");
}

TEST(FormField, TakesWhatItsTypeAllows) {
  auto const number = field(R"({"type": "integer", "minimum": 1, "maximum": 9})", true);
  EXPECT_EQ(answer(number, " 7 "), "7");
  EXPECT_EQ(answer(number, "7.5"), "Give a whole number.");
  EXPECT_EQ(answer(number, "1e300"), "Give a whole number.");
  EXPECT_EQ(answer(number, "x"), "Give a number.");
  EXPECT_EQ(answer(number, "0"), "Give at least 1.");
  EXPECT_EQ(answer(number, "10"), "Give at most 9.");
  EXPECT_EQ(answer(number, ""), "It is required.");
  EXPECT_EQ(answer(field(R"({"type": "number"})"), "7.5"), "7.5");
  EXPECT_EQ(answer(field(R"({"type": "boolean"})"), "y"), "true");
  EXPECT_EQ(answer(field(R"({"type": "boolean"})"), "maybe"), "Give y or n.");
  EXPECT_EQ(answer(field(R"({"type": "string", "minLength": 3})"), "ab"),
            "Give at least 3 characters.");
  EXPECT_EQ(answer(field(R"({"type": "string"})"), "5"), "\"5\"");
}

TEST(FormField, LeavesOutWhatNobodyGave) {
  EXPECT_EQ(answer(field(R"({"type": "string"})"), ""), "(none)");
  EXPECT_EQ(answer(field(R"({"type": "boolean", "default": false})"), ""), "false");
}

TEST(FormField, OffersChoices) {
  auto const plain = field(R"({"type": "string", "enum": ["a", "b"], "enumNames": ["Ah", "Be"]})");
  EXPECT_EQ(plain.kind, FormField::Kind::Choice);
  EXPECT_EQ(answer(plain, "2"), "\"b\"");
  EXPECT_EQ(answer(plain, "Ah"), "\"a\"");
  EXPECT_EQ(answer(plain, "3"), "Give the number of one of the 2 choices.");
  auto const titled = field(R"({"type": "string", "oneOf": [{"const": "x", "title": "Ex"}, 5]})");
  EXPECT_EQ(answer(titled, "Ex"), "\"x\"");
  auto const several = field(
      R"({"type": "array", "minItems": 1, "maxItems": 2, "items": {"enum": ["a", "b", "c"]}})");
  EXPECT_EQ(answer(several, "1, c"), "[\"a\",\"c\"]");
  EXPECT_EQ(answer(several, "1,2,3"), "Give at most 2 of them.");
}

TEST(FormField, SurvivesAnySchema) {
  EXPECT_EQ(form_fields({}).size(), 0U);
  EXPECT_EQ(answer(field("7"), "x"), "\"x\"");
  EXPECT_EQ(answer(field(R"({"type": "object"})"), "x"), "\"x\"");
  EXPECT_EQ(answer(field(R"({"type": "array"})"), "x"), "Give the number of one of the 0 choices.");
}

}  // namespace
}  // namespace sallyport::app::servers
