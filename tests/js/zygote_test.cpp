// The process that forks: its control socket, and that nothing a child does wears it out.
#include "tests/js/sandbox_fixture.hpp"

#include <chrono>
#include <fstream>
#include <set>
#include <thread>

namespace sallyport::test {
namespace {

using namespace std::chrono_literals;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class JsZygote : public SandboxTest {};

TEST_F(JsZygote, SaysThatItIsReadyAndHowLargeItIs) {
  EXPECT_TRUE(sandbox().ready().at("ready").as_bool());
  EXPECT_GT(sandbox().ready().at("rss_kb").to_number<int>(), 10'000);
  EXPECT_TRUE(sandbox().ready().at("namespaces").is_string());
}

TEST_F(JsZygote, AnswersEveryOrderThatItCannotCarryOut) {
  auto const [ours, theirs] = socket_pair(SOCK_STREAM);

  sandbox().send(R"({"fork":900})");
  EXPECT_EQ(sandbox().message_text(), R"({"failed":900,"error":"no descriptor came with it"})");
  sandbox().send(R"({"fork":901,"limits":{"heap_mb":0}})", theirs.get());
  EXPECT_EQ(sandbox().message_text(),
            R"({"failed":901,"error":"limits.heap_mb: must be a whole number from 1 to 4096"})");
  sandbox().send(R"({"fork":902,"limits":{"heap_mb":64,"data_mb":32}})", theirs.get());
  EXPECT_THAT(sandbox().message_text(), HasSubstr("data_mb: must not be less than heap_mb"));
  sandbox().send("{}");
  EXPECT_THAT(sandbox().message_text(), HasSubstr(R"({"refused":"neither)"));
  sandbox().send("nonsense", theirs.get());
  EXPECT_THAT(sandbox().message_text(), HasSubstr(R"({"refused":)"));
  sandbox().send(R"({"kill":)" + std::string(5000, '1') + "}");
  EXPECT_EQ(sandbox().message_text(), R"({"refused":"the packet is too long"})");
  sandbox().send(R"({"kill":12345678})");
  EXPECT_EQ(run("return 1").value(), "1");
}

TEST_F(JsZygote, RefusesAnIdThatIsInUse) {
  auto peer = sandbox().fork();
  auto const [ours, theirs] = socket_pair(SOCK_STREAM);

  sandbox().send(fmt::format(R"({{"fork":{}}})", peer.id()), theirs.get());

  EXPECT_THAT(sandbox().message_text(), HasSubstr("a child with this id is still there"));
  peer.close();
  EXPECT_THAT(sandbox().message_text(), StartsWith(R"({"ended":)"));
}

// Also one that waits for a timer or an answer, which is where others leave a run behind.
TEST_F(JsZygote, KillsAtOnceWhateverTheScriptDoes) {
  for (auto const* const code :
       {"for (;;) {}", "await call('never')",
        "await new Promise((r) => setTimeout(r, 2 ** 31 - 1))",
        "/^(a+)+$/.test('a'.repeat(40) + 'b')", "for (;;) console.log('x'.repeat(1000))",
        "return (3n ** 8000000n).toString().length"}) {
    auto peer = sandbox().fork();
    peer.run({.code = std::string{"console.log('begins');\n"} + code});
    ASSERT_TRUE(peer.next()) << code;

    auto const start = std::chrono::steady_clock::now();
    sandbox().kill(peer.id());
    auto const message = sandbox().message_text();
    auto const took = std::chrono::steady_clock::now() - start;

    EXPECT_EQ(message, fmt::format(R"({{"ended":{},"signal":9}})", peer.id())) << code;
    // Microseconds on an idle machine.
    EXPECT_LT(took, 2s) << code;
  }
}

TEST_F(JsZygote, KillingWhatHasEndedIsHarmless) {
  auto peer = sandbox().fork();
  peer.run_to_end("return 1");
  EXPECT_THAT(sandbox().message_text(), HasSubstr(R"("exit":0)"));

  sandbox().kill(peer.id());

  EXPECT_EQ(run("return 2").value(), "2");
}

TEST_F(JsZygote, KillsItsChildrenWhenTheControlSocketCloses) {
  JsSandbox mine{SANDBOX_PROGRAM};
  auto looping = mine.fork();
  looping.run({.code = "console.log(1); for (;;) {}"});
  auto waiting = mine.fork();
  waiting.run({.code = "console.log(1); await call('never')"});
  ASSERT_TRUE(looping.next());
  ASSERT_TRUE(waiting.next() && waiting.next());

  mine.close_control();

  EXPECT_EQ(mine.wait(), 0);
  EXPECT_TRUE(looping.goes_away());
  EXPECT_TRUE(waiting.goes_away());
}

TEST_F(JsZygote, TakesItsChildrenAlongWhenItIsKilled) {
  JsSandbox mine{SANDBOX_PROGRAM};
  auto looping = mine.fork();
  looping.run({.code = "console.log(1); for (;;) {}"});
  ASSERT_TRUE(looping.next());

  ::kill(mine.pid(), SIGKILL);

  EXPECT_TRUE(looping.goes_away());
}

TEST_F(JsZygote, DoesNotStartForPeople) {
  char const* const command = SANDBOX_PROGRAM " 3<&- 2>/dev/null";
  EXPECT_EQ(WEXITSTATUS(std::system(command)), 2);  // NOLINT(concurrency-mt-unsafe)
}

// One way to end after the other, with some children at a time.
class ManyRuns {
 public:
  explicit ManyRuns(JsSandbox& sandbox) : sandbox_{sandbox} {}

  void run(int count) {
    for (int i = 0; i < count; ++i) {
      begin(i % 6);
      if (peers_.size() >= 8) end_one();
    }
    while (!peers_.empty()) end_one();
  }
  std::set<std::int64_t> ended;
  int twice{0};

 private:
  void begin(int kind) {
    auto peer = sandbox_.fork({.heap_mb = 16, .data_mb = 32, .cpu_ms = 1000});
    switch (kind) {
      case 0: peer.run({.code = "'x'.repeat(5e8).split('')"}); break;
      case 1:
        peer.run({.code = "await call('never')"});
        sandbox_.kill(peer.id());
        break;
      case 2: peer.close(); break;
      case 3: peer.send_bytes(std::string(9, '\xff')); break;
      case 4: peer.run({.code = "throw new Error('x')"}); break;
      default: peer.run({.code = "return 1"}); break;
    }
    peers_.emplace(peer.id(), std::move(peer));
  }
  void end_one() {
    auto const message = sandbox_.message();
    ASSERT_TRUE(message && message->contains("ended"));
    auto const id = message->at("ended").to_number<std::int64_t>();
    twice += ended.insert(id).second ? 0 : 1;
    peers_.erase(id);
  }

  JsSandbox& sandbox_;
  std::map<std::int64_t, RunPeer> peers_;
};

constexpr std::size_t kSpares = 4;

void wait_for_spares(pid_t zygote) {
  auto const deadline = std::chrono::steady_clock::now() + kPatience;
  while (children_of(zygote).size() < kSpares && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(5ms);
  }
}

TEST_F(JsZygote, KeepsSpareChildrenThatHaveNothingOfAnybody) {
  JsSandbox mine{SANDBOX_PROGRAM};
  auto const zygote = forking(mine);
  wait_for_spares(zygote);

  auto const spares = children_of(zygote);

  ASSERT_EQ(spares.size(), kSpares);
  for (auto const spare : spares) {
    EXPECT_EQ(descriptors_of(spare).size(), 1) << "the one its order comes on";
  }
}

TEST_F(JsZygote, ReplacesSpareChildrenThatEnd) {
  JsSandbox mine{SANDBOX_PROGRAM};
  auto const zygote = forking(mine);
  wait_for_spares(zygote);

  auto const old = children_of(zygote);
  for (auto const spare : old) ::kill(spare, SIGKILL);
  for (auto const spare : old) {
    while (::kill(spare, 0) == 0) std::this_thread::sleep_for(1ms);
  }

  wait_for_spares(zygote);
  EXPECT_EQ(children_of(zygote).size(), kSpares);
  auto peer = mine.fork();
  EXPECT_EQ(peer.run_to_end("return 1").value(), "1");
  EXPECT_THAT(mine.message_text(), HasSubstr(R"("exit":0)"));
}

TEST_F(JsZygote, IsTheSameAfterFiveThousandForks) {
  JsSandbox mine{SANDBOX_PROGRAM};
  ManyRuns warm{mine};
  warm.run(500);
  auto const zygote = forking(mine);
  wait_for_spares(zygote);
  auto const before = facts_of(zygote);
  ManyRuns many{mine};

  many.run(5000);

  wait_for_spares(zygote);
  auto const after = facts_of(zygote);
  EXPECT_EQ(many.ended.size(), 5000);
  EXPECT_EQ(many.twice, 0);
  EXPECT_EQ(after.descriptors, before.descriptors);
  EXPECT_LE(after.children, kSpares);
  EXPECT_LE(after.resident_kb, before.resident_kb + 512);
  EXPECT_EQ(after.threads, 1);
}

// The gateway may be busy for a while; nothing that ended in the meantime is lost.
TEST_F(JsZygote, LosesNothingWhenTheGatewayReadsLate) {
  std::vector<RunPeer> peers;
  for (int i = 0; i < 400; ++i) {
    peers.push_back(sandbox().fork());
    peers.back().close();
  }

  std::set<std::int64_t> ended;
  while (ended.size() < peers.size()) {
    auto const message = sandbox().message();
    ASSERT_TRUE(message) << ended.size() << " of " << peers.size();
    ended.insert(message->at("ended").to_number<std::int64_t>());
  }
  EXPECT_EQ(ended.size(), peers.size());
}

}  // namespace
}  // namespace sallyport::test
