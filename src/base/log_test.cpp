#include "src/base/log.hpp"

#include "src/base/secret.hpp"

#include <gmock/gmock.h>

#include <string>
#include <type_traits>

namespace sallyport::log {
namespace {

using testing::HasSubstr;

class LogTest : public testing::Test {
 protected:
  ~LogTest() override { configure({}); }

  static std::string logged(Options options, Level level, Fields fields) {
    testing::internal::CaptureStderr();
    configure(options);
    write(level, "event", fields);
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(LogTest, WritesOneJsonObjectPerLine) {
  auto const line = logged({.format = Format::Json}, Level::Warn,
                           {{"text", "a\"b\n"}, {"count", 3}, {"ok", true}, {"part", 0.5}});

  EXPECT_THAT(line, HasSubstr(R"("level":"warn","event":"event","text":"a\"b\u000a","count":3,)"
                              R"("ok":true,"part":0.5})"));
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST_F(LogTest, APeerCannotForgeALine) {
  auto const line = logged({}, Level::Info, {{"peer", "x\n2026-01-01 error forged"}});

  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST_F(LogTest, NamesTheLevelInFull) {
  EXPECT_THAT(logged({}, Level::Error, {}), HasSubstr("Z error event"));
}

TEST_F(LogTest, KeepsQuietBelowItsLevel) {
  EXPECT_EQ(logged({.level = Level::Warn}, Level::Info, {}), "");
}

TEST(Secret, CannotBeLogged) {
  static_assert(!std::is_constructible_v<Field, std::string_view, Secret>);
  EXPECT_TRUE(Secret{"token"}.matches("token"));
  EXPECT_FALSE(Secret{"token"}.matches("tokem"));
  EXPECT_FALSE(Secret{"token"}.matches("token2"));
  EXPECT_FALSE(Secret{}.matches("x"));
}

}  // namespace
}  // namespace sallyport::log
