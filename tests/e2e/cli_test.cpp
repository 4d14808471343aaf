// The command line of the built program, as a shell sees it.
#include "tests/support/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/wait.h>

namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Outcome {
  int code{-1};
  std::string output;  // both streams
};

Outcome shell(std::string const& command) {
  // Only what the command sets itself: the variables of whoever runs the tests stay outside.
  // The command reaches bash as its first argument, in single quotes, so it must not contain any.
  auto const line = "env -i PATH=\"$PATH\" PROGRAM=" SALLYPORT_PROGRAM " bash -c '" + command +
                    "' 2>&1 </dev/null";
  std::FILE* pipe = popen(line.c_str(), "r");
  if (pipe == nullptr) return {};
  Outcome outcome;
  std::array<char, 4096> piece{};
  for (auto size = fread(piece.data(), 1, piece.size(), pipe); size > 0;
       size = fread(piece.data(), 1, piece.size(), pipe)) {
    outcome.output.append(piece.data(), size);
  }
  int const status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

std::string contents(std::string const& path) {
  std::ifstream stream{path};
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

TEST(Program, HelpsEverywhere) {
  for (std::string const command : {"",
                                    "serve",
                                    "stdio",
                                    "config",
                                    "config check",
                                    "config show",
                                    "config reference",
                                    "check",
                                    "audit",
                                    "audit list",
                                    "audit show",
                                    "audit tail",
                                    "audit verify",
                                    "audit export",
                                    "servers",
                                    "servers add",
                                    "servers remove",
                                    "servers list",
                                    "servers test",
                                    "servers tools",
                                    "servers call",
                                    "servers login",
                                    "servers logout",
                                    "servers approve",
                                    "version",
                                    "completion"}) {
    auto const outcome = shell("$PROGRAM " + command + " --help");

    EXPECT_EQ(outcome.code, 0) << command;
    EXPECT_THAT(outcome.output, HasSubstr("Usage: sallyport")) << command;
  }
}

TEST(Program, ExitsWithTwoWhenItIsUsedWrongly) {
  for (std::string const command : {"", "serv", "serve --prot 1", "serve --port x", "config",
                                    "config check --config /nonexistent", "completion",
                                    "completion ksh", "serve --host 0.0.0.0"}) {
    EXPECT_EQ(shell("$PROGRAM " + command).code, 2) << command;
  }
  EXPECT_EQ(shell("SALLYPORT_TYPO=1 $PROGRAM serve").code, 2);
}

TEST(Program, PrintsItsVersion) {
  EXPECT_THAT(shell("$PROGRAM --version").output, StartsWith("sallyport "));
  EXPECT_THAT(shell("$PROGRAM version --json").output, HasSubstr(R"("name":"sallyport")"));
}

TEST(Program, ReadsTheEnvironmentOfItsProcess) {
  auto const outcome = shell("PORT=4321 $PROGRAM config show");

  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.output, testing::ContainsRegex("port: 4321 +# env PORT"));
}

TEST(Program, PointsAtTheLineOfAFile) {
  auto const outcome =
      shell(R"(printf "listen:\n  prot: 1\n" | $PROGRAM config check --config /dev/stdin)");

  EXPECT_EQ(outcome.code, 2);
  EXPECT_EQ(outcome.output,
            "/dev/stdin:2:3: listen.prot: unknown key (did you mean listen.port?)\n");
}

TEST(Program, AcceptsTheExample) {
  auto const outcome =
      shell("$PROGRAM config check --config " SALLYPORT_SOURCE "/examples/sallyport.yaml");

  EXPECT_EQ(outcome.code, 0) << outcome.output;
}

TEST(Documentation, OfSettingsIsUpToDate) {
  EXPECT_EQ(shell("$PROGRAM config reference").output,
            contents(SALLYPORT_SOURCE "/docs/settings.md"))
      << "Run: build/release/sallyport config reference > docs/settings.md";
}

// What people copy must do what the page says, and let nobody in who is not named.
TEST(Documentation, PolicyOfTheGuideAllowsReadingFromTwoSitesOnly) {
  sallyport::test::TempFolder const folder;
  auto const page = contents(SALLYPORT_SOURCE "/docs/policies.md");
  auto const from = page.find("```rego\n") + 8;
  auto const policy = folder.write("p.rego", page.substr(from, page.find("```", from) - from));
  auto const judged = [&](std::string const& method, std::string const& host) {
    auto const input = folder.write(
        "input.json", R"({"method":")" + method + R"(","url_parsed":{"host":")" + host + "\"}}");
    auto const eval = "$PROGRAM policy eval --format raw -d " + policy + " -i " + input;
    return shell(eval + " data.mcp.fetch.allow; " + eval + " data.mcp.fetch.reason").output;
  };
  auto const denied = "false\nonly reading, and only from our own sites\n";

  EXPECT_THAT(judged("GET", "docs.example.com"), StartsWith("true\n"));
  EXPECT_EQ(judged("GET", "127.0.0.1"), denied);
  EXPECT_EQ(judged("GET", "evil.test"), denied);
  EXPECT_EQ(judged("POST", "docs.example.com"), denied);
}

TEST(Completion, WorksInBash) {
  struct Case {
    std::string words;
    std::string expected;
  };
  for (auto const& [words, expected] : {
           Case{"sallyport se", "serve servers"},
           Case{"sallyport config sh", "show"},
           Case{"sallyport completion f", "fish"},
           Case{"sallyport serve --log-lev", "--log-level"},
           Case{"sallyport serve --log-format j", "json"},
           Case{"sallyport config show --form", "--format"},
       }) {
    auto const outcome = shell("source <($PROGRAM completion bash) && COMP_WORDS=(" + words +
                               ") && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && _sallyport && "
                               "echo \"${COMPREPLY[*]}\"");

    EXPECT_EQ(outcome.output, expected + "\n") << words;
  }
}

TEST(Completion, IsGoodSyntaxInOtherShells) {
  for (std::string const name : {"zsh", "fish"}) {
    if (shell("command -v " + name).code != 0) continue;
    auto const outcome = shell("$PROGRAM completion " + name + " | " + name + " -n /dev/stdin");

    EXPECT_EQ(outcome.code, 0) << name << ": " << outcome.output;
  }
}

}  // namespace
