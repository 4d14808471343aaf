#include "src/app/cli.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace sallyport::app {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct CliOutcome {
  int code;
  std::string out;
  std::string err;
};

CliOutcome run_with(std::vector<std::string> const& arguments, config::Variables environment = {}) {
  std::ostringstream out;
  std::ostringstream err;
  int const code = run(arguments, {std::move(environment), out, err});
  return {code, out.str(), err.str()};
}

TEST(CommandLine, EveryCommandExplainsItselfWithAnExample) {
  std::vector<std::vector<std::string>> const commands{{},
                                                       {"serve"},
                                                       {"stdio"},
                                                       {"config"},
                                                       {"config", "check"},
                                                       {"config", "show"},
                                                       {"config", "reference"},
                                                       {"check"},
                                                       {"audit"},
                                                       {"audit", "list"},
                                                       {"audit", "show"},
                                                       {"audit", "tail"},
                                                       {"audit", "verify"},
                                                       {"audit", "export"},
                                                       {"policy"},
                                                       {"policy", "eval"},
                                                       {"policy", "test"},
                                                       {"policy", "check"},
                                                       {"policy", "fmt"},
                                                       {"policy", "bench"},
                                                       {"policy", "replay"},
                                                       {"js"},
                                                       {"js", "run"},
                                                       {"version"},
                                                       {"completion"}};
  for (auto command : commands) {
    for (auto const* flag : {"--help", "-h"}) {
      auto words = command;
      words.emplace_back(flag);
      auto const outcome = run_with(words);

      EXPECT_EQ(outcome.code, 0);
      EXPECT_THAT(outcome.out, HasSubstr("Usage: sallyport"));
      EXPECT_THAT(outcome.out, HasSubstr("Example"));
      EXPECT_EQ(outcome.err, "");
    }
  }
}

TEST(CommandLine, SaysWhatIsWrongAndWhatWasMeant) {
  struct Case {
    std::vector<std::string> words;
    std::string message;
  };
  for (auto const& [words, message] : {
           Case{{},
                "a command is missing: serve, stdio, config, check, audit, policy, js, servers, "
                "version, completion"},
           Case{{"serv"}, "unknown command serv (did you mean serve?)"},
           Case{{"config", "chekc"}, "unknown command chekc (did you mean check?)"},
           Case{{"config"}, "a command is missing: check, show, reference"},
           Case{{"serve", "--prot", "80"}, "unknown flag --prot (did you mean --port?)"},
           Case{{"stdio", "--port", "80"}, "unknown flag --port"},
           Case{{"serve", "now"}, "unexpected argument now"},
           Case{{"serve", "--port"}, "--port: 1 required NUMBER missing"},
           Case{{"completion", "ksh"}, "shell: ksh not in {bash,zsh,fish}"},
           Case{{"completion"}, "shell is required"},
       }) {
    auto const outcome = run_with(words);

    EXPECT_EQ(outcome.code, kUsageError) << message;
    EXPECT_THAT(outcome.err, StartsWith("sallyport: " + message));
    EXPECT_THAT(outcome.err, HasSubstr("--help`."));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST(CommandLine, DoesNotRepeatTheValueOfAFlagItDoesNotKnow) {
  auto const outcome = run_with({"serve", "--auth-token=hunter2"});

  EXPECT_EQ(outcome.code, kUsageError);
  EXPECT_THAT(outcome.err, Not(HasSubstr("hunter2")));
}

TEST(CommandLine, PrintsTheVersionInThreeWays) {
  EXPECT_EQ(run_with({"--version"}).out, "sallyport " SALLYPORT_VERSION "\n");
  EXPECT_EQ(run_with({"version"}).out, "sallyport " SALLYPORT_VERSION "\n");
  EXPECT_EQ(run_with({"version", "--json"}).out,
            R"({"name":"sallyport","version":")" SALLYPORT_VERSION "\"}\n");
}

TEST(CommandLine, StartsNothingWhileThereIsAProblem) {
  auto const outcome = run_with({"serve", "--port", "x", "--path", "mcp"}, {{"HOST", "a b"}});

  EXPECT_EQ(outcome.code, kUsageError);
  EXPECT_EQ(outcome.err,
            "env HOST: listen.host: must be a host name or an address, without scheme and path\n"
            "flag --port: listen.port: must be a whole number, 0 to 65535\n"
            "flag --path: listen.path: must be a path that starts with / and has no ? or #\n");
}

TEST(CommandLine, ConfigCheckAnswersWithItsExitCode) {
  EXPECT_EQ(run_with({"config", "check"}).code, 0);
  EXPECT_EQ(run_with({"config", "check"}, {{"PORT", "x"}}).code, kUsageError);
  EXPECT_EQ(run_with({"config", "check", "--config", "/nonexistent"}).code, kUsageError);
}

TEST(CommandLine, ConfigShowKnowsTwoFormats) {
  EXPECT_THAT(run_with({"config", "show"}).out, StartsWith("server:\n"));
  EXPECT_THAT(run_with({"config", "show", "--format", "json"}).out,
              StartsWith("{\"server.name\":"));
  EXPECT_EQ(run_with({"config", "show", "--format", "xml"}).code, kUsageError);
}

TEST(Completion, KnowsEveryCommandAndFlagInEveryShell) {
  for (auto const* shell : {"bash", "zsh", "fish"}) {
    auto const script = run_with({"completion", shell}).out;

    for (auto const* word : {"serve", "stdio", "completion", "reference"}) {
      EXPECT_THAT(script, HasSubstr(word)) << shell;
    }
    for (auto const& setting : config::setting_table()) {
      auto const flag = flag_name(setting);
      if (!flag.empty()) EXPECT_THAT(script, HasSubstr(flag.substr(2))) << shell;
    }
  }
}

TEST(Completion, OffersFilesWhereACommandTakesThem) {
  EXPECT_THAT(run_with({"completion", "bash"}).out,
              ContainsRegex("' policy fmt'\\) words='[^']*' files=yes ;;"));
  EXPECT_THAT(run_with({"completion", "zsh"}).out,
              ContainsRegex("' policy fmt'\\) .* files=yes ;;"));
  EXPECT_THAT(run_with({"completion", "fish"}).out,
              HasSubstr("__sallyport_at ' policy fmt'\" -F\n"));
}

}  // namespace
}  // namespace sallyport::app
