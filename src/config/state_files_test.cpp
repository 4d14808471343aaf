#include "src/config/test_load.hpp"

#include <gtest/gtest.h>

namespace sallyport::config {
namespace {

using test::load_environment;

TEST(StateFiles, AreWhereStateBelongs) {
  struct Case {
    Variables variables;
    std::string expected;
  };
  for (auto const& [variables, expected] :
       {Case{{}, ""}, Case{{{"HOME", "/home/a"}}, "/home/a/.local/state/sallyport/audit.db"},
        Case{{{"HOME", "/home/a"}, {"XDG_STATE_HOME", "/s"}}, "/s/sallyport/audit.db"},
        Case{{{"HOME", "/home/a"}, {"XDG_STATE_HOME", "relative"}},
             "/home/a/.local/state/sallyport/audit.db"},
        Case{{{"STATE_DIRECTORY", "/var/lib/sallyport:/x"}, {"HOME", "/"}},
             "/var/lib/sallyport/audit.db"},
        Case{{{"HOME", "/home/a"}, {"SALLYPORT_AUDIT_FILE", "/named"}}, "/named"}}) {
    EXPECT_EQ(load_environment(variables).settings.audit.file, expected);
  }
}

TEST(AuditSettings, BecomeTheOptionsOfTheLog) {
  auto const loaded = load_environment({{"SALLYPORT_AUDIT_FILE", "/f"},
                                        {"SALLYPORT_AUDIT_DURABILITY", "power"},
                                        {"SALLYPORT_AUDIT_WHEN_FULL", "continue"},
                                        {"SALLYPORT_AUDIT_KEEP_FOR", "7d"},
                                        {"SALLYPORT_AUDIT_KEEP_BYTES", "2MiB"}});

  ASSERT_TRUE(loaded.good());
  auto const options = loaded.settings.audit.options();
  EXPECT_EQ(options.file, "/f");
  EXPECT_EQ(options.durability, audit::Durability::Power);
  EXPECT_EQ(options.when_full, audit::WhenFull::Continue);
  EXPECT_EQ(options.keep_for, std::chrono::hours{7 * 24});
  EXPECT_EQ(options.keep_bytes, 2UL * 1024 * 1024);
  EXPECT_FALSE(load_environment({{"SALLYPORT_AUDIT_DURABILITY", "forever"}}).good());
}

}  // namespace
}  // namespace sallyport::config
