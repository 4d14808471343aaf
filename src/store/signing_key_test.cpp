#include "src/store/signing_key.hpp"

#include "src/base/random_id.hpp"
#include "src/store/digest.hpp"
#include "src/store/private_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace sallyport::store {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_{fs::temp_directory_path() / ("store-test-" + random_id())} {
    fs::create_directory(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  fs::path operator/(char const* name) const { return path_ / name; }

 private:
  fs::path path_;
};

TEST(SigningKey, SignsWhatItsPublicHalfVerifies) {
  auto const key = SigningKey::random();
  auto const other = SigningKey::random();

  auto const signature = key.sign("text");

  EXPECT_TRUE(key.public_key().verifies("text", signature));
  EXPECT_FALSE(key.public_key().verifies("texT", signature));
  EXPECT_FALSE(key.public_key().verifies("text", ""));
  EXPECT_FALSE(other.public_key().verifies("text", signature));
  EXPECT_NE(key.public_key().id(), other.public_key().id());
}

TEST(SigningKey, IsKeptInAFileThatOnlyItsOwnerReads) {
  Folder const folder;
  auto const made = SigningKey::create(folder / "key");
  ASSERT_TRUE(made);
  EXPECT_EQ(fs::status(folder / "key").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);

  auto const read = SigningKey::read(folder / "key");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->public_key().id(), made->public_key().id());
  EXPECT_FALSE(SigningKey::create(folder / "key"));  // never over another

  fs::permissions(folder / "key", fs::perms::others_read, fs::perm_options::add);
  EXPECT_FALSE(SigningKey::read(folder / "key"));
}

TEST(PublicKey, IsReadFromItsOwnText) {
  auto const key = SigningKey::random();

  auto const again = PublicKey::parse(key.public_key().pem());

  ASSERT_TRUE(again);
  EXPECT_TRUE(again->verifies("text", key.sign("text")));
  for (auto const* garbage : {"", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"}) {
    EXPECT_FALSE(PublicKey::parse(garbage)) << garbage;
  }
}

TEST(Sha256Hasher, GivesTheDigestOfItsPiecesEachTime) {
  Sha256Hasher hasher;

  EXPECT_EQ(hasher.add("a").add("bc").finish(), sha256("abc"));
  EXPECT_EQ(hasher.add("abd").finish(), sha256("abd"));
  EXPECT_EQ(hasher.finish(), sha256(""));
}

TEST(FileLock, IsGivenToOneOnly) {
  Folder const folder;
  {
    auto const first = FileLock::take(folder / "lock");
    ASSERT_TRUE(first);
    EXPECT_FALSE(FileLock::take(folder / "lock"));
  }
  EXPECT_TRUE(FileLock::take(folder / "lock"));
}

TEST(PrivateDirectory, IsMadeWithItsParentsForItsOwnerAlone) {
  Folder const folder;

  ASSERT_TRUE(make_private_directory(folder / "a/b"));

  EXPECT_EQ(fs::status(folder / "a").permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(folder / "a/b").permissions(), fs::perms::owner_all);
}

}  // namespace
}  // namespace sallyport::store
