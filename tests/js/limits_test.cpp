// Scripts that use up what they may use. Each ends alone, and says why wherever it still can.
#include "tests/js/sandbox_fixture.hpp"

#include <chrono>

namespace sallyport::test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr SandboxLimits kSmall{.heap_mb = 32, .data_mb = 128};

class JsLimits : public SandboxTest {
 protected:
  // The next run is as if nothing had been.
  void TearDown() override { EXPECT_EQ(run("return 'alive'").value(), R"("alive")"); }
};

TEST_F(JsLimits, EndsWhatUsesUpItsCpuTime) {
  for (auto const* const code : {
           "for (;;) {}",
           "for (;;) await null",
           "function again() { return Promise.resolve().then(again) }; await again()",
           "/^(a+)+$/.test('a'.repeat(40) + 'b')",
           "const a = Array.from({length: 1e6}, (_, i) => -i); for (;;) a.sort((x, y) => x - y)",
           "for (let n = 3n;; n = n * n % (2n ** 4096n)) {}",
           "for (;;) try { for (;;) {} } finally { continue }",
           "const o = {get x() { for (;;) {} }}; return o.x",
           "return {toJSON() { for (;;) {} }}",
           "throw {get message() { for (;;) {} }}",
           "Object.defineProperty(import.meta, 'result', {get() { for (;;) {} }})",
           "setTimeout(function f() { setTimeout(f, 0) })",
           "for (;;) eval('1')",
           "for (;;) try { eval(';)') } catch {}",
           "const s = 'a'.repeat(1e6); for (;;) s.replaceAll('a', 'b')",
           "for (;;) JSON.parse(JSON.stringify(Array(1e4).fill(0)))",
       }) {
    auto const answer = run(code, {.cpu_ms = 100});

    EXPECT_EQ(answer.limit(), "cpu") << code << answer.raw_done;
    EXPECT_EQ(answer.message(), "The script used up its CPU time: 100 ms.") << code;
    EXPECT_THAT(ended(), AnyOf(R"("exit":0)", R"("exit":14)")) << code;
  }
}

// The engine looks up from some work only when it is done with it.
TEST_F(JsLimits, EndsWhatDoesNotStopWhenToldTo) {
  auto const answer = run("return (3n ** 8000000n).toString().length", {.cpu_ms = 50});

  EXPECT_EQ(answer.limit(), "cpu") << answer.raw_done;
  EXPECT_THAT(ended(), AnyOf(R"("exit":0)", R"("exit":14)"));
}

// V8 takes a lock to be told to stop, which the script may hold at that moment: once in ten runs
// here the process then waited for itself, without using any time.
TEST_F(JsLimits, EndsWhatHoldsTheLockThatStopsIt) {
  for (int i = 0; i < 40; ++i) {
    auto const answer =
        run("const a = new Int32Array(new SharedArrayBuffer(4)); for (;;) Atomics.notify(a, 0)",
            {.cpu_ms = 20});

    ASSERT_EQ(answer.limit(), "cpu") << answer.raw_done << ended();
  }
}

TEST_F(JsLimits, EndsAChildWhoseSessionUsedUpItsCpuTime) {
  auto peer = sandbox().fork({.cpu_ms = 700, .total_cpu_s = 1});
  auto const spend = "for (;;) {}";

  peer.run_in_session(spend);

  EXPECT_FALSE(peer.run_in_session(spend).is_done());
  EXPECT_THAT(sandbox().message_text(),
              AnyOf(HasSubstr(R"("signal":9)"), HasSubstr(R"("signal":24)")));
}

TEST_F(JsLimits, SaysWhenTheHeapIsFull) {
  for (auto const* const code : {
           "const a = []; for (;;) a.push({a: 1})",
           "const a = []; for (;;) a.push([...'some text'])",
           "const m = new Map(); for (let i = 0;; ++i) m.set(i, {i})",
           "let s = 'x'; const a = []; for (let i = 0;; ++i) a.push(s + i)",
           "new Array(1e8).fill(0)",
           "new Array(3e7).fill(1.5)",
           "JSON.stringify(Array(2e7).fill({a: 1}))",
           "[...'x'.repeat(3e7)].sort((a, b) => a < b)",
           "let o = {}; for (;;) o = {o}",
           "const a = []; for (;;) a.push(Promise.reject(a.length))",
           "const a = []; for (;;) a.push(() => a)",
           "function* g() { for (;;) yield {} } const all = [...g()]",
           "const f = []; for (let i = 0;; ++i) f.push(new Function('return ' + i))",
           "for (;;) Promise.resolve({}).then(() => 1)",
           "const a = []; for (;;) a.push(Symbol('s'.repeat(100)))",
       }) {
    auto const answer = run(code, kSmall);

    EXPECT_EQ(answer.limit(), "memory") << code << answer.raw_done;
    EXPECT_EQ(
        answer.message(),
        "The script ran out of memory: it may use 32 MB for objects, and 128 MB for everything.")
        << code;
    EXPECT_EQ(ended(), R"("exit":13)") << code;
  }
}

// One value that is larger than the engine's largest, or than the memory: whether the script gets
// an error it can catch, a message, or a crash is the engine's choice. It is the end of one child.
TEST_F(JsLimits, EndsOneChildOnHugeValues) {
  for (auto const* const code : {
           "return new Array(1e9).length",
           "new Array(1e9).fill(0)",
           "'x'.repeat(5e8).split('')",
           "'x'.repeat(5e8).replace(/x/g, 'yy')",
           "let s = 'x'; for (;;) s += s",
           "let s = 'ab'; for (;;) s = s.replace(/./g, s)",
           "Array(2 ** 32 - 1).join('x')",
           "new RegExp('a'.repeat(1e7))",
           "new RegExp('(?:'.repeat(1e5) + ')'.repeat(1e5))",
           "JSON.parse('['.repeat(1e7))",
           "eval('('.repeat(1e6))",
           "eval('let x = ' + '['.repeat(1e5) + ']'.repeat(1e5))",
           "2n ** (2n ** 30n)",
           "new Function(...Array(70000).fill('a'))",
           "Math.max(...Array(1e7).fill(0))",
           "let o = {}; for (let i = 0; i < 1e6; ++i) o = {o}; return o",
           "let o = []; for (let i = 0; i < 1e6; ++i) o = [o]; clone(o)",
           "console.log('x'.repeat(17e6))",
           "return 'x'.repeat(17e6)",
           "new Intl.NumberFormat('en', {minimumFractionDigits: 100})",
           "'x'.padEnd(2 ** 29)",
           "String.fromCharCode(...Array(1e6).fill(65)).normalize('NFD')",
       }) {
    auto const answer = run(code, {.heap_mb = 32, .data_mb = 128, .cpu_ms = 2000});

    EXPECT_THAT(ended(), AnyOf(StartsWith(R"("exit":)"), StartsWith(R"("signal":)"))) << code;
    if (ended() == R"("exit":0)") EXPECT_TRUE(answer.is_done()) << code;
  }
}

TEST_F(JsLimits, RefusesBuffersThatAreTooLarge) {
  EXPECT_EQ(run("new ArrayBuffer(200 * 1024 * 1024)", kSmall).message(),
            "Array buffer allocation failed");
  EXPECT_EQ(run("const a = []; for (;;) a.push(new Uint8Array(1e6))", kSmall).message(),
            "Array buffer allocation failed");
  EXPECT_EQ(run("const a = []; for (;;) a.push(new SharedArrayBuffer(1e6))", kSmall).message(),
            "Array buffer allocation failed");
  EXPECT_EQ(run("const a = []; for (;;) a.push(new Float64Array(1e3).fill(1))", kSmall).message(),
            "Array buffer allocation failed");
  EXPECT_EQ(
      run("(() => { try { const a = []; for (;;) a.push(new Uint8Array(1e6)) } catch {} })();\n"
          "return new Uint8Array(1e6).length",
          kSmall)
          .value(),
      "1000000");
  // What is garbage is not counted.
  EXPECT_EQ(
      run("for (let i = 0; i < 1000; ++i) new Uint8Array(1e6); return 'fits'", kSmall).value(),
      R"("fits")");
}

TEST_F(JsLimits, HoldsForTheMemoryOfWebAssembly) {
  auto const answer = run(
      "const m = new WebAssembly.Memory({initial: 1}); let pages = 1;\n"
      "try { for (;;) { m.grow(16); pages += 16; new Uint8Array(m.buffer).fill(1) } } catch {}\n"
      "return pages",
      kSmall);

  ASSERT_TRUE(answer.is_done()) << ended();
  auto const pages = std::stoi("0" + answer.value());
  EXPECT_GT(pages, 100) << answer.raw_done;
  EXPECT_LE(pages, (128 - 32) * 16) << "more than the heap leaves of data_mb";

  auto const many =
      run("const a = []; try { for (;;) a.push(new WebAssembly.Memory({initial: 100})) } catch {}\n"
          "return a.length",
          kSmall);
  EXPECT_THAT(ended(), AnyOf(R"("exit":0)", R"("exit":13)"));
  EXPECT_LE(std::stoi("0" + many.value()), 128 * 16 / 100) << many.raw_done;
}

TEST_F(JsLimits, LeavesRoomForAHeapOfItsSize) {
  // 40 MB of objects that live, and much garbage beside them.
  auto const answer = run(
      "const a = []; for (let i = 0; i < 5e5; ++i) { a.push({i, s: [i]}); [i, i].map(String) }\n"
      "return a.length",
      {.heap_mb = 128, .data_mb = 256});

  EXPECT_EQ(answer.value(), "500000") << answer.raw_done;
}

TEST_F(JsLimits, StandsStillWhileNobodyReads) {
  auto peer = sandbox().fork({.heap_mb = 32, .data_mb = 64});
  // Far more than the socket and the memory hold.
  peer.run({.code = "for (let i = 0; i < 3000; ++i) console.log('x'.repeat(1e5)); return 'all'"});
  // The gateway sends at the same time, more than fits into a socket that nobody reads.
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(peer.send(js::FrameKind::Chunk, 7, std::string(100'000, 'y')));
  }

  auto const answer = peer.answer();

  EXPECT_EQ(answer.console.size(), 3000);
  EXPECT_EQ(answer.value(), R"("all")") << answer.raw_done;
  sandbox().message();
}

}  // namespace
}  // namespace sallyport::test
