#include "src/credentials/injector.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace sallyport::credentials {
namespace {

class SecretFile {
 public:
  explicit SecretFile(std::string const& content)
      : path_{::testing::TempDir() + "sallyport_secret_" + std::to_string(::getpid())} {
    std::ofstream{path_, std::ios::binary} << content;
  }
  ~SecretFile() { std::filesystem::remove(path_); }
  SecretFile(SecretFile const&) = delete;
  SecretFile& operator=(SecretFile const&) = delete;

  std::string const& path() const { return path_; }

 private:
  std::string path_;
};

Result<Secret> read(std::string const& content) {
  SecretFile const file{content};
  return secret_from_file(file.path());
}

TEST(Secrets, LoseOneLineBreakAtTheirEnd) {
  for (auto const* content : {"Bearer abc", "Bearer abc\n", "Bearer abc\r\n"}) {
    auto const secret = read(content);

    ASSERT_TRUE(secret) << secret.error().message;
    EXPECT_EQ(secret->reveal(), "Bearer abc");
  }
}

TEST(Secrets, ThatNoHeaderCanCarryAreRefusedWithoutBeingSaid) {
  using namespace std::string_literals;
  for (auto const& content : {""s, "\n"s, "hush\n\n"s, "hush\nX-Evil: 1"s, "hush\rx"s, "hush\0x"s,
                              " hush"s, "hush "s, std::string(70'000, 'h')}) {
    auto const secret = read(content);

    ASSERT_FALSE(secret) << content.size();
    EXPECT_EQ(secret.error().code, Errc::InvalidInput);
    EXPECT_EQ((secret.error().message + secret.error().detail).find("hush"), std::string::npos);
  }
}

TEST(Secrets, OfAMissingFileAreRefusedWithoutItsPath) {
  auto const secret = secret_from_file("/nowhere/at/all");

  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().message.find("nowhere"), std::string::npos);
}

TEST(Secrets, OfADirectoryAreRefused) {
  EXPECT_FALSE(secret_from_file("/"));
}

TEST(Secrets, ComeFromTheEnvironment) {
  ::setenv("TEST_CREDENTIAL", "abc\n", 1);
  EXPECT_EQ(secret_from_env("TEST_CREDENTIAL")->reveal(), "abc");

  ::setenv("TEST_CREDENTIAL", "a\nb", 1);
  EXPECT_FALSE(secret_from_env("TEST_CREDENTIAL"));

  ::unsetenv("TEST_CREDENTIAL");
  auto const absent = secret_from_env("TEST_CREDENTIAL");
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().message.find("TEST_CREDENTIAL"), std::string::npos);
}

}  // namespace
}  // namespace sallyport::credentials
