#include "src/store/aead_sealer.hpp"

#include "src/base/base64.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace sallyport::store {
namespace {

Secret secret_of(char fill) {
  return Secret{std::string(32, fill)};
}

SealingKey key_of(char fill) {
  return *SealingKey::derive(secret_of(fill));
}

TEST(AeadSealer, OpensWhatItSealed) {
  AeadSealer const sealer{SealingKey::random()};

  for (auto const& text : {std::string{}, std::string{"state"}, std::string(100'000, 'x')}) {
    auto const opened = sealer.open(sealer.seal(text, "context"), "context");
    ASSERT_TRUE(opened) << text.size();
    EXPECT_EQ(*opened, text);
  }
}

TEST(AeadSealer, SealsTheSameTextDifferentlyEachTime) {
  AeadSealer const sealer{SealingKey::random()};

  EXPECT_NE(sealer.seal("state", "context"), sealer.seal("state", "context"));
}

TEST(AeadSealer, TakesNothingAtAllForTextAndContext) {
  AeadSealer const sealer{SealingKey::random()};

  auto const sealed = sealer.seal(std::string_view{}, std::string_view{});

  EXPECT_TRUE(sealer.open(sealed, ""));
  EXPECT_FALSE(sealer.open(sealed, "context"));
}

TEST(AeadSealer, HidesTheText) {
  AeadSealer const sealer{SealingKey::random()};
  auto const bytes = base64::decode_url(sealer.seal("a text to be found", "context"));

  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->find("text to be"), std::string::npos);
}

TEST(AeadSealer, RefusesATextWithAnyBitChanged) {
  AeadSealer const sealer{SealingKey::random()};
  auto const bytes = *base64::decode_url(sealer.seal("state", "context"));

  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    auto changed = bytes;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(sealer.open(base64::encode_url(changed), "context")) << bit;
  }
}

TEST(AeadSealer, RefusesATextWithAnyCharacterChangedOrCut) {
  AeadSealer const sealer{SealingKey::random()};
  auto const sealed = sealer.seal("state!", "context");

  for (std::size_t i = 0; i < sealed.size(); ++i) {
    for (char const c :
         std::string_view{"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                          "-_=+/ "}) {
      auto changed = sealed;
      changed[i] = c;
      if (changed != sealed) {
        EXPECT_FALSE(sealer.open(changed, "context")) << i << c;
      }
    }
    EXPECT_FALSE(sealer.open(sealed.substr(0, i), "context")) << i;
  }
  EXPECT_FALSE(sealer.open(sealed + "A", "context"));
  EXPECT_FALSE(sealer.open(sealed + "=", "context"));
}

TEST(AeadSealer, RefusesAnotherContext) {
  AeadSealer const sealer{SealingKey::random()};
  auto const sealed = sealer.seal("state", "tool a, alice");

  for (auto const* context : {"", "tool a, bob", "tool a, alic", "tool a, alice "}) {
    auto const opened = sealer.open(sealed, context);
    ASSERT_FALSE(opened) << context;
    EXPECT_EQ(opened.error().code, Errc::InvalidInput);
  }
}

TEST(AeadSealer, RefusesAnotherKey) {
  AeadSealer const ours{SealingKey::random()};
  AeadSealer const theirs{SealingKey::random()};

  EXPECT_FALSE(ours.open(theirs.seal("state", "context"), "context"));
}

TEST(AeadSealer, RefusesGarbage) {
  AeadSealer const sealer{SealingKey::random()};

  for (auto const& garbage :
       {std::string{}, std::string{"A"}, std::string{"AQ"}, std::string{"not base64url!"},
        std::string(39, 'A'), std::string(1000, 'A'), std::string{"AQ"} + std::string(60, 'A'),
        std::string(100, '\0'), std::string(100, '\xFF')}) {
    EXPECT_FALSE(sealer.open(garbage, "context")) << garbage;
  }
}

TEST(AeadSealer, OpensWhatAnOlderKeySealedUntilThatKeyIsDropped) {
  auto const sealed = AeadSealer{key_of('a')}.seal("state", "context");
  AeadSealer const rotated{key_of('c'), {key_of('b'), key_of('a')}};
  AeadSealer const dropped{key_of('c'), {key_of('b')}};

  EXPECT_TRUE(rotated.open(sealed, "context"));
  EXPECT_FALSE(dropped.open(sealed, "context"));
  EXPECT_TRUE(dropped.open(rotated.seal("state", "context"), "context"));  // the new one seals
}

TEST(SealingKey, IsTheSameForTheSameSecret) {
  auto const sealed = AeadSealer{key_of('a')}.seal("state", "context");

  EXPECT_TRUE(AeadSealer{key_of('a')}.open(sealed, "context"));
  EXPECT_FALSE(AeadSealer{key_of('b')}.open(sealed, "context"));
}

TEST(SealingKey, RefusesAShortSecret) {
  auto const key = SealingKey::derive(Secret{std::string(31, 'a')});

  ASSERT_FALSE(key);
  EXPECT_EQ(key.error().code, Errc::InvalidInput);
}

}  // namespace
}  // namespace sallyport::store
