#include "src/rego/builtins/testing.hpp"

#include <gtest/gtest.h>

namespace sallyport::rego {
namespace {

using test::result;

TEST(CryptoBuiltins, HashAsTheStandardsSay) {
  EXPECT_EQ(result("crypto.md5", R"(["abc"])"), R"("900150983cd24fb0d6963f7d28e17f72")");
  EXPECT_EQ(result("crypto.sha1", R"(["abc"])"), R"("a9993e364706816aba3e25717850c26c9cd0d89d")");
  EXPECT_EQ(result("crypto.sha256", R"([""])"),
            R"("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")");
  EXPECT_EQ(result("crypto.sha256", "[1]"), "type error: operand 1 must be string but got number");
}

TEST(CryptoBuiltins, HashWithAKey) {
  EXPECT_EQ(result("crypto.hmac.md5", R"(["foo", "bar"])"),
            R"("31b6db9e5eb4addb42f1a6ca07367adc")");
  EXPECT_EQ(result("crypto.hmac.sha1", R"(["foo", "bar"])"),
            R"("85d155c55ed286a300bd1cf124de08d87e914f3a")");
  EXPECT_EQ(result("crypto.hmac.sha256", R"(["", ""])"),
            R"("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")");
}

TEST(CryptoBuiltins, CompareKeyedHashes) {
  EXPECT_EQ(result("crypto.hmac.equal", R"(["ab", "ab"])"), "true");
  EXPECT_EQ(result("crypto.hmac.equal", R"(["ab", "ac"])"), "false");
  EXPECT_EQ(result("crypto.hmac.equal", R"(["ab", "abc"])"), "false");
}

}  // namespace
}  // namespace sallyport::rego
