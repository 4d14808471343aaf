#include "src/config/test_load.hpp"

#include <gmock/gmock.h>

namespace sallyport::config {
namespace {

using test::load_environment;
using test::load_text;
using test::problems;
using test::TemporaryFile;
using testing::ElementsAre;

GivenFlag flag(std::string_view key, std::vector<std::string> values) {
  return {find_setting(key), std::move(values)};
}

TEST(Load, WithoutAnySourceGivesTheDefaults) {
  auto const loaded = load_environment({});

  EXPECT_TRUE(loaded.good());
  EXPECT_TRUE(loaded.origins.empty());
  EXPECT_EQ(loaded.settings.listen.host, "127.0.0.1");
  EXPECT_EQ(loaded.settings.listen.port, 3000);
  EXPECT_EQ(loaded.settings.listen.path, "/mcp");
  EXPECT_EQ(loaded.settings.server.name, "sallyport");
  EXPECT_FALSE(loaded.settings.auth.configured());
}

TEST(Load, FlagsWinOverEnvironmentOverFileOverDefaults) {
  auto const* const yaml = "listen:\n  port: 1\n  path: /file\n  loops: 2\n";

  auto const loaded = load_text(yaml, {{"PORT", "2"}, {"SALLYPORT_LISTEN_PATH", "/environment"}},
                                {flag("listen.port", {"3"})});

  EXPECT_THAT(problems(loaded), ElementsAre());
  EXPECT_EQ(loaded.settings.listen.port, 3);
  EXPECT_EQ(loaded.settings.listen.path, "/environment");
  EXPECT_EQ(loaded.settings.listen.loops, 2U);
  EXPECT_EQ(loaded.settings.listen.host, "127.0.0.1");
  EXPECT_EQ(describe(loaded.origins.at("listen.port")), "flag --port");
  EXPECT_EQ(describe(loaded.origins.at("listen.path")), "env SALLYPORT_LISTEN_PATH");
  EXPECT_TRUE(describe(loaded.origins.at("listen.loops")).ends_with(":4:10"));
}

TEST(Load, TakesTheFileFromTheEnvironmentUnlessAFlagNamesOne) {
  TemporaryFile const named{"listen:\n  port: 1\n"};
  TemporaryFile const given{"listen:\n  port: 2\n"};

  auto const by_variable = load_environment({{"SALLYPORT_CONFIG", named.path()}});
  auto const by_flag =
      load({given.path(), {{"SALLYPORT_CONFIG", named.path()}}, {}}, Purpose::Serve);

  EXPECT_EQ(by_variable.settings.listen.port, 1);
  EXPECT_EQ(by_flag.settings.listen.port, 2);
}

TEST(Load, AListFlagMayBeRepeatedOrSeparatedByCommas) {
  auto const loaded = load({{},
                            {},
                            {flag("listen.allowed_origins",
                                  {"https://a.example,https://b.example", "https://c.example"})}},
                           Purpose::Serve);

  EXPECT_THAT(loaded.settings.listen.allowed_origins,
              ElementsAre("https://a.example", "https://b.example", "https://c.example"));
}

TEST(Load, ABadValueLeavesTheOneBeforeAndIsReported) {
  auto const loaded = load_text("listen:\n  port: 1\n", {{"PORT", "many"}});

  EXPECT_THAT(problems(loaded),
              ElementsAre("env PORT: listen.port: must be a whole number, 0 to 65535"));
  EXPECT_EQ(loaded.settings.listen.port, 1);
}

TEST(SettingTable, HasUniqueKeysVariablesAndFlags) {
  std::vector<std::string> names;
  for (auto const& setting : setting_table()) {
    names.emplace_back(setting.key);
    if (auto name = environment_name(setting); !name.empty()) names.push_back(std::move(name));
    if (auto name = flag_name(setting); !name.empty()) names.push_back(std::move(name));
    EXPECT_FALSE(setting.help.empty()) << setting.key;
    EXPECT_FALSE(setting.help.ends_with('.')) << setting.key;
  }
  std::ranges::sort(names);

  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

TEST(SettingTable, GivesNoSecretAFlag) {
  for (auto const& setting : setting_table()) {
    if (setting.is_secret()) EXPECT_EQ(flag_name(setting), "") << setting.key;
  }
}

TEST(SettingTable, AcceptsItsOwnDefaults) {
  Settings const defaults;
  for (auto const& setting : setting_table()) {
    auto const value = shown_value(setting, defaults);
    if (value.is_null() || setting.entries() != nullptr) continue;
    Written written{.is_list = setting.is_list()};
    if (auto const* text = value.if_string()) {
      written.items = {std::string{json::view(*text)}};
    } else if (auto const* list = value.if_array()) {
      for (auto const& item : *list) written.items.emplace_back(item.as_string());
    } else if (auto const* truth = value.if_bool()) {
      written.items = {*truth ? "true" : "false"};
    } else {
      written.items = {std::to_string(value.to_number<std::uint64_t>())};
    }
    Settings settings;

    EXPECT_TRUE(assign(setting, written, settings)) << setting.key;
    EXPECT_EQ(shown_value(setting, settings), value) << setting.key;
  }
}

}  // namespace
}  // namespace sallyport::config
