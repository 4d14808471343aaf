#include "src/oauth/upstream/grant_store.hpp"

#include "src/oauth/upstream/test_upstream.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <thread>

namespace sallyport::oauth::upstream {
namespace {

using testing::HasSubstr;
using testing::Not;

Grant grant(std::string const& token, std::string const& issuer = "https://as.example") {
  return {.server_url = fakes::kServer,
          .issuer = issuer,
          .resource = fakes::kServer,
          .token_endpoint = issuer + "/token",
          .client = {.id = "c", .auth = ClientAuth::SecretPost, .secret = Secret{"client-secret"}},
          .requested_scope = "a b",
          .header_value = Secret{"Bearer " + token},
          .refresh_token = Secret{"refresh-" + token},
          .issued_at = 1000,
          .expires_at = 4600};
}

class GrantStoreTest : public testing::Test {
 protected:
  std::unique_ptr<GrantStore> open() const { return fakes::open_store(folder_, key_); }
  std::string token() { return (*store_->grant(shop_))->header_value.reveal(); }

  test::TempFolder folder_;
  store::SealingKey key_ = store::SealingKey::random();
  std::unique_ptr<GrantStore> store_ = open();
  ServerSettings shop_ = fakes::usual_settings();
};

TEST_F(GrantStoreTest, KeepsAllOfAGrantOverARestart) {
  auto const before = grant("t1");
  ASSERT_TRUE(store_->put(shop_, before));

  store_ = open();

  auto const after = store_->grant(shop_);
  ASSERT_TRUE(after && *after);
  EXPECT_EQ(to_text(**after), to_text(before));
}

TEST_F(GrantStoreTest, SaysWithoutAKeyWhetherThereIsSomethingToLose) {
  auto const file = std::filesystem::path{folder_.path()} / "grants.db";
  auto const nowhere = std::filesystem::path{folder_.path()} / "nowhere.db";
  ASSERT_TRUE(store_->put_challenge(shop_, {.scope = "a"}));

  auto const before = GrantStore::holds_something(file);
  ASSERT_TRUE(store_->put(shop_, grant("t1")));
  auto const after = GrantStore::holds_something(file);
  auto const never = GrantStore::holds_something(nowhere);

  ASSERT_TRUE(before && after && never);
  EXPECT_FALSE(*before);  // a server will say again what it asks for
  EXPECT_TRUE(*after);
  EXPECT_FALSE(*never);
  EXPECT_FALSE(std::filesystem::exists(nowhere));
}

TEST_F(GrantStoreTest, IsReadableToItsOwnerAloneAndHoldsNoSecretInTheOpen) {
  ASSERT_TRUE(store_->put(shop_, grant("token-that-nobody-sees")));
  store_ = nullptr;

  std::string all;
  for (auto const& entry : std::filesystem::directory_iterator{folder_.path()}) {
    struct stat facts{};
    ASSERT_EQ(stat(entry.path().c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777U, 0600U) << entry.path();
    std::ifstream file{entry.path(), std::ios::binary};
    all.append(std::istreambuf_iterator<char>{file}, {});
  }
  EXPECT_THAT(all, HasSubstr("shop"));
  EXPECT_THAT(all, Not(HasSubstr("token-that-nobody-sees")));
  EXPECT_THAT(all, Not(HasSubstr("client-secret")));
}

TEST_F(GrantStoreTest, TellsServersOwnersAndIssuersApart) {
  auto mine = shop_;
  mine.owner = "ada";
  auto other = shop_;
  other.id = "bank";
  ASSERT_TRUE(store_->put(shop_, grant("t1")));
  ASSERT_TRUE(store_->put(mine, grant("t2")));
  ASSERT_TRUE(store_->put(shop_, grant("t3", "https://as2.example")));

  EXPECT_EQ(token(), "Bearer t3");  // the newest
  EXPECT_EQ((*store_->grant(mine))->header_value.reveal(), "Bearer t2");
  EXPECT_FALSE(*store_->grant(other));
  EXPECT_EQ(store_->grants(shop_)->size(), 2U);
  ASSERT_TRUE(store_->put(shop_, grant("t4")));
  EXPECT_EQ(token(), "Bearer t4");
  EXPECT_EQ(store_->grants(shop_)->size(), 2U);
}

TEST_F(GrantStoreTest, DoesNotConfuseNamesThatRunTogether) {
  ServerSettings const one{.id = "a\",\"b", .url = fakes::kServer, .owner = "c"};
  ServerSettings const two{.id = "a", .url = fakes::kServer, .owner = "b\",\"c"};
  ASSERT_TRUE(store_->put(one, grant("t1")));

  EXPECT_FALSE(*store_->grant(two));
}

TEST_F(GrantStoreTest, KeepsTokensFromANameThatPointsElsewhereNow) {
  ASSERT_TRUE(store_->put(shop_, grant("t1")));

  shop_.url = "https://evil.example/mcp";

  EXPECT_FALSE(*store_->grant(shop_));
}

TEST_F(GrantStoreTest, TakesWhatAnotherKeySealedAsNone) {
  ASSERT_TRUE(store_->put(shop_, grant("t1")));

  auto const other = fakes::open_store(folder_, store::SealingKey::random());

  EXPECT_FALSE(*other->grant(shop_));
  ASSERT_TRUE(other->put(shop_, grant("t2")));
  EXPECT_EQ((*other->grant(shop_))->header_value.reveal(), "Bearer t2");
}

TEST_F(GrantStoreTest, HoldsEachTextToItsPlace) {
  ASSERT_TRUE(store_->put(shop_, grant("t1")));
  auto database = store::Database::open(folder_.file("grants.db"), store::Database::Mode::Create);
  ASSERT_TRUE(database);

  // Somebody who can write the file gives Ada's server to Bob.
  ASSERT_TRUE(database->execute(R"(UPDATE items SET key = '["bank",""]')"));

  auto bank = shop_;
  bank.id = "bank";
  EXPECT_FALSE(*store_->grant(bank));
}

TEST_F(GrantStoreTest, IsSharedByTwoProcesses) {
  auto const other = open();
  ASSERT_TRUE(store_->put(shop_, grant("t1")));
  EXPECT_EQ((*other->grant(shop_))->header_value.reveal(), "Bearer t1");
  ASSERT_TRUE(other->put(shop_, grant("t2")));
  EXPECT_EQ(token(), "Bearer t2");

  auto lock = store_->lock(shop_);

  ASSERT_TRUE(lock);
  EXPECT_FALSE(other->lock(shop_));
  lock = fail(Errc::Cancelled, "given back");
  EXPECT_TRUE(other->lock(shop_));
}

TEST_F(GrantStoreTest, IsMadeAndUsedByManyAtOnce) {
  test::TempFolder const fresh;
  std::atomic<int> good{0};
  std::vector<std::thread> processes;
  for (int i = 0; i < 8; ++i) {
    processes.emplace_back([&, i] {
      auto const store = fakes::open_store(fresh, key_);
      auto mine = shop_;
      mine.id = "shop-" + std::to_string(i);
      for (int round = 0; store && round < 10; ++round) {
        auto const name = std::to_string(i) + "-" + std::to_string(round);
        auto const put = store->put(mine, grant(name));
        auto const found = store->grant(mine);
        EXPECT_TRUE(put) << put.error().detail;
        EXPECT_TRUE(found) << found.error().detail;
        good += put && found && *found && (*found)->header_value.matches("Bearer " + name) ? 1 : 0;
      }
    });
  }

  for (auto& process : processes) process.join();

  EXPECT_EQ(good, 80);
}

TEST_F(GrantStoreTest, ForgetsAllOfAServer) {
  ASSERT_TRUE(store_->put(shop_, grant("t1")));
  ASSERT_TRUE(store_->put(shop_, grant("t2", "https://as2.example")));

  ASSERT_TRUE(store_->forget(shop_));

  EXPECT_TRUE(store_->grants(shop_)->empty());
}

TEST_F(GrantStoreTest, ForgetsTheClientsOfTheIssuersThatAServerHasLedTo) {
  auto other = shop_;
  other.id = "bank";
  ASSERT_TRUE(store_->put_client(shop_, "https://as.example", "http://127.0.0.1:1/", {.id = "a"}));
  ASSERT_TRUE(store_->put_client(shop_, "https://as2.example", "http://127.0.0.1:1/", {.id = "b"}));
  ASSERT_TRUE(store_->put_client(other, "https://as3.example", "http://127.0.0.1:1/", {.id = "c"}));

  ASSERT_TRUE(store_->forget_clients(shop_));

  EXPECT_FALSE(*store_->client("https://as.example", "http://127.0.0.1:1/"));
  EXPECT_FALSE(*store_->client("https://as2.example", "http://127.0.0.1:1/"));
  EXPECT_TRUE(*store_->client("https://as3.example", "http://127.0.0.1:1/"));
}

TEST_F(GrantStoreTest, KeepsWhatAServerAskedForLast) {
  ServerChallenge const challenge{.resource_metadata = "https://mcp.example/prm",
                                  .scope = "a b",
                                  .error = "insufficient_scope",
                                  .offers_dpop = true};
  ASSERT_TRUE(store_->put_challenge(shop_, challenge));

  auto const found = *open()->challenge(shop_);

  ASSERT_TRUE(found);
  EXPECT_EQ(found->resource_metadata, challenge.resource_metadata);
  EXPECT_EQ(found->scope, "a b");
  EXPECT_EQ(found->error, "insufficient_scope");
  EXPECT_TRUE(found->offers_dpop);
  ASSERT_TRUE(store_->forget_challenge(shop_));
  EXPECT_FALSE(*store_->challenge(shop_));
}

TEST(GrantText, IsRefusedWhenDamaged) {
  auto const text = to_text(grant("t"));
  for (auto const& bad :
       {std::string{}, std::string{"[]"}, std::string{"{}"}, text.substr(0, text.size() / 2),
        std::string{R"({"id":"a","auth":9,"secret":"","secret_expires_at":0})"}}) {
    EXPECT_FALSE(grant_of(bad)) << bad;
    EXPECT_FALSE(client_of(bad)) << bad;
  }
}

TEST(Grant, IsFreshUntilFiveMinutesBeforeItsEndOrHalfOfAShorterLife) {
  auto const at = [](std::int64_t seconds) {
    return WallClock::time_point{std::chrono::seconds{seconds}};
  };
  Grant const hour{.issued_at = 1000, .expires_at = 4600};
  EXPECT_TRUE(is_fresh(hour, at(4299)));
  EXPECT_FALSE(is_fresh(hour, at(4300)));
  EXPECT_FALSE(is_expired(hour, at(4599)));
  EXPECT_TRUE(is_expired(hour, at(4600)));
  Grant const minute{.issued_at = 1000, .expires_at = 1060};
  EXPECT_TRUE(is_fresh(minute, at(1029)));
  EXPECT_FALSE(is_fresh(minute, at(1030)));
}

}  // namespace
}  // namespace sallyport::oauth::upstream
