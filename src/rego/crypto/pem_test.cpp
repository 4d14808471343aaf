#include "src/rego/crypto/pem.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego::crypto {
namespace {

TEST(Pem, FindsBlocksBetweenOtherText) {
  std::string_view rest =
      "noise\n-----BEGIN A-----\naGVs\nbG8=\n-----END A-----\nmore\n"
      "-----BEGIN B-----\nKey: value\n\nYQ==\n-----END B-----\ntail";

  auto const first = next_pem_block(rest);
  auto const second = next_pem_block(rest);

  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->type, "A");
  EXPECT_EQ(first->bytes, "hello");
  EXPECT_EQ(second->type, "B");
  EXPECT_EQ(second->bytes, "a");
  EXPECT_EQ(rest, "tail");
}

TEST(Pem, LeavesTheTextAloneWhereThereIsNone) {
  for (std::string_view const text :
       {"", "-----BEGIN A-----", "-----BEGIN A-----\nYQ==\n-----END B-----\n",
        "-----BEGIN A-----\nY*==\n-----END A-----\n", "x-----BEGIN A-----\nYQ==\n-----END A-----",
        "-----BEGIN A-----\nYQ==\n-----END A-----x", "-----END A-----\n-----BEGIN A-----"}) {
    auto rest = text;
    EXPECT_FALSE(next_pem_block(rest)) << text;
    EXPECT_EQ(rest, text);
  }
}

TEST(Pem, TakesTimeInProportionToTheText) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "-----BEGIN A-----\n";
  for (int i = 0; i < 100'000; ++i) text += "\n-----END B-----";
  std::string_view rest{text};

  EXPECT_FALSE(next_pem_block(rest));
}

}  // namespace
}  // namespace sallyport::rego::crypto
