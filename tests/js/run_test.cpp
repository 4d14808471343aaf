// What a script sees and what comes of it.
#include "tests/js/sandbox_fixture.hpp"

namespace sallyport::test {
namespace {

using js::FrameKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class JsRun : public SandboxTest {};

TEST_F(JsRun, GivesTheValueAndEnds) {
  auto const answer = run("return 1 + 1");

  EXPECT_EQ(answer.value(), "2");
  EXPECT_EQ(ended(), R"("exit":0)");
  auto const* const cpu_us = json::find(answer.done, "cpu_us");
  ASSERT_NE(cpu_us, nullptr);
  EXPECT_GT(cpu_us->to_number<std::int64_t>(), 5) << "the clock moves by more than a run takes";
}

TEST_F(JsRun, CountsTheMemoryThatTheScriptTook) {
  auto const heap_of = [](ScriptAnswer const& answer) {
    auto const* const bytes = json::find(answer.done, "heap_bytes");
    return bytes == nullptr ? -1 : bytes->to_number<std::int64_t>();
  };

  EXPECT_LT(heap_of(run("return 1")), 500'000) << "what was there before does not count";
  auto const large =
      heap_of(run("globalThis.kept = Array.from({length: 1e5}, (_, i) => ({i})); return 1"));
  EXPECT_GT(large, 2'000'000);
  EXPECT_LT(large, 20'000'000);
}

TEST_F(JsRun, HasNoValueWhereThereIsNone) {
  auto const answer = run("const a = 1");

  EXPECT_EQ(answer.value(), "(none)");
  EXPECT_EQ(answer.message(), "(none)");
}

TEST_F(JsRun, WaitsForAPromiseThatIsItsValue) {
  EXPECT_EQ(run("return new Promise((done) => setTimeout(() => done('late'), 5))").value(),
            R"("late")");
  EXPECT_EQ(
      run("return new Promise((_, no) => setTimeout(() => no(new Error('no')), 5))").message(),
      "no");
}

TEST_F(JsRun, SendsItsConsoleInOrderAndAsUtf8) {
  auto const answer = run("console.log('a', {b: 1}); console.error('é\\u{1F600}'); return 0");

  EXPECT_THAT(answer.console, ElementsAre(R"({"level":"log","text":"a {\"b\":1}"})",
                                          "{\"level\":\"error\",\"text\":\"é😀\"}"));
}

TEST_F(JsRun, TellsWhereTextIsNotJavaScript) {
  auto const answer = run("const a = 1;\nconst b = ;\n");

  EXPECT_EQ(answer.error("name"), "SyntaxError");
  EXPECT_EQ(answer.error("line"), "2");
  EXPECT_EQ(answer.error("column"), "11");
  EXPECT_THAT(answer.error("stack"), HasSubstr("at test.js:2:11"));
}

TEST_F(JsRun, TellsWhatThePreparationFound) {
  auto const answer = run("#refuse");

  EXPECT_EQ(answer.message(), "Refused.");
  EXPECT_EQ(answer.error("line"), "1");
  EXPECT_THAT(answer.error("stack"), HasSubstr("at test.js:1:2"));
}

TEST_F(JsRun, TellsWhereItThrew) {
  auto const answer = run("function f() {\n  throw new TypeError('why');\n}\n\nf();");

  EXPECT_EQ(answer.error("name"), "TypeError");
  EXPECT_EQ(answer.message(), "why");
  EXPECT_EQ(answer.error("line"), "2");
  EXPECT_THAT(answer.error("stack"), HasSubstr("at f (test.js:2:9)\n    at test.js:5:1"));
}

TEST_F(JsRun, TakesAnythingThatIsThrown) {
  for (auto const* const what : {"undefined", "null", "1", "'text'", "Symbol('s')", "{}", "[]",
                                 "Object.create(null)", "() => 1", "new Proxy({}, {})"}) {
    auto const answer = run(fmt::format("throw {}", what));

    EXPECT_TRUE(answer.is_done()) << what;
    EXPECT_NE(answer.message(), "(none)") << what;
    EXPECT_EQ(ended(), R"("exit":0)") << what;
  }
}

TEST_F(JsRun, AwaitsAtItsTopLevel) {
  EXPECT_EQ(run("const a = await new Promise((r) => setTimeout(r, 10, 0)).then(() => 7); return a")
                .value(),
            "7");
}

TEST_F(JsRun, GoesOnWhileTimersArePending) {
  auto const answer = run("setTimeout(() => console.log('later'), 20); return 'now'");

  EXPECT_EQ(answer.value(), R"("now")");
  EXPECT_EQ(answer.console.size(), 1);
}

TEST_F(JsRun, FailsWhenItWaitsForNothing) {
  EXPECT_EQ(run("await new Promise(() => {})").message(),
            "The script waits for something that never happens (a promise that nobody settles).");
  EXPECT_THAT(run("return new Promise(() => {})").message(), HasSubstr("never happens"));
}

TEST_F(JsRun, FailsWithARejectionThatNobodyHandles) {
  EXPECT_EQ(run("Promise.reject(new Error('lost')); return 1").message(), "lost");
  EXPECT_EQ(run("const p = Promise.reject(new Error('x')); p.catch(() => {}); return 1").value(),
            "1");
  EXPECT_EQ(
      run("const p = Promise.reject(1); await null; await p.catch(() => {}); return 2").value(),
      "2");
}

TEST_F(JsRun, ImportsNothing) {
  for (auto const* const what : {"fs", "node:fs", "./x.js", "https://example.com/x.js", "", "\\0",
                                 "data:text/javascript,1", "file:///etc/passwd", "test.js"}) {
    auto const dynamic = run(fmt::format("await import('{}')", what));
    auto const fixed = run(fmt::format("import x from '{}'", what));

    EXPECT_THAT(dynamic.message(), HasSubstr("Modules from elsewhere are not available: \""))
        << what;
    EXPECT_THAT(fixed.message(), HasSubstr("Modules from elsewhere are not available: \"")) << what;
  }
  EXPECT_THAT(run("await import('x'.repeat(1e6))").message(), HasSubstr("(a long name)"));
  EXPECT_EQ(run("await import({toString() { throw new Error('mine') }})").message(), "mine");
  EXPECT_THAT(run("export * from 'x'").message(), HasSubstr("not available: \"x\""));
}

TEST_F(JsRun, AnswersCallsInAnyOrder) {
  auto peer = sandbox().fork();
  peer.run({.code = "const a = call('one'); const b = call('two');\nreturn [await a, await b]"});

  EXPECT_THAT(peer.next()->payload, HasSubstr("one"));
  EXPECT_EQ(peer.next()->call, 2);
  peer.send(FrameKind::Answer, 2, R"({"value":"B"})");
  peer.send(FrameKind::Answer, 1, R"({"value":"A"})");

  EXPECT_EQ(peer.answer().value(), R"(["A","B"])");
  sandbox().message();
}

TEST_F(JsRun, RejectsACallThatWasAnsweredWithAnError) {
  auto peer = sandbox().fork();
  peer.run({.code = "await call('fetch')"});
  peer.next();
  peer.send(FrameKind::Answer, 1, R"({"error":{"name":"TypeError","message":"refused"}})");

  auto const answer = peer.answer();
  EXPECT_EQ(answer.error("name"), "TypeError");
  EXPECT_EQ(answer.message(), "refused");
  sandbox().message();
}

TEST_F(JsRun, GetsChunksAsBytesAndCreditAsANumber) {
  auto peer = sandbox().fork();
  peer.run({.code = "return await call('fetch')"});
  peer.next();
  peer.send(FrameKind::Answer, 1, R"({"value":1,"body":true})");
  peer.send(FrameKind::Chunk, 1, std::string(100'000, 'x'));
  peer.send(FrameKind::Chunk, 1, "");
  peer.send(FrameKind::Credit, 1, std::string("\x01\x02\x00\x80", 4));
  peer.send(FrameKind::Cancel, 99, "");
  peer.send(FrameKind::End, 1, "");

  EXPECT_EQ(peer.answer().value(), R"({"value":1,"chunks":[100000,0,"credit 2147484161"]})");
  sandbox().message();
}

TEST_F(JsRun, EndsWhenTheGatewayBreaksTheRules) {
  auto peer = sandbox().fork();
  peer.run({.code = "await call('x')"});
  peer.next();
  peer.send_bytes("\xff\xff\xff\xff\x01\x01\x01\x01\x01");

  EXPECT_FALSE(peer.answer().is_done());
  EXPECT_THAT(sandbox().message_text(), HasSubstr(R"("exit":11)"));
}

TEST_F(JsRun, EndsWhenTheGatewayHasGone) {
  auto before_it_ran = sandbox().fork();
  before_it_ran.close();
  EXPECT_THAT(sandbox().message_text(), HasSubstr(R"("exit":10)"));

  auto waiting = sandbox().fork();
  waiting.run({.code = "await call('x')"});
  waiting.next();
  waiting.close();
  EXPECT_THAT(sandbox().message_text(), HasSubstr(R"("exit":10)"));

  auto writing = sandbox().fork();
  writing.run({.code = "for (;;) console.log('x'.repeat(1000))"});
  writing.next();
  writing.close();
  EXPECT_THAT(sandbox().message_text(), HasSubstr(R"("exit":10)"));
}

// What the web APIs build on.
TEST_F(JsRun, HashesAsOthersDo) {
  EXPECT_EQ(run("return hex(digest('SHA-256', new Uint8Array([97, 98, 99])))").value(),
            R"("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")");
  EXPECT_EQ(run("return hex(digest('SHA-1', new Uint8Array(0)))").value(),
            R"("da39a3ee5e6b4b0d3255bfef95601890afd80709")");
  // RFC 4231, test case 2.
  EXPECT_EQ(run("const b = (s) => Uint8Array.from(s, (c) => c.charCodeAt(0));\n"
                "return hex(hmac('SHA-256', b('Jefe'), b('what do ya want for nothing?')))")
                .value(),
            R"("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")");
  EXPECT_EQ(
      run("return hex(hmac('SHA-512', new Uint8Array(0), new Uint8Array(0))).slice(0, 16)").value(),
      R"("b936cee86c9f87aa")");
  EXPECT_EQ(run("digest('MD5', new Uint8Array(1))").message(), "no such algorithm");
}

TEST_F(JsRun, ClonesWhatCanBeCloned) {
  EXPECT_EQ(
      run("const o = {d: new Date(5), m: new Map([[1, 2]])}; o.self = o; const c = clone(o);\n"
          "return [c !== o, c.self === c, c.d.getTime(), c.m.get(1)]")
          .value(),
      "[true,true,5,2]");
  EXPECT_EQ(run("const b = new ArrayBuffer(8); const c = clone({b}, [b]);\n"
                "return [b.byteLength, c.b.byteLength]")
                .value(),
            "[0,8]");
  EXPECT_EQ(run("clone(() => 1)").error("name"), "DataCloneError");
  EXPECT_EQ(run("clone(1, [{}])").error("name"), "DataCloneError");
}

TEST_F(JsRun, LooksIntoValuesWithoutRunningTheirCode) {
  EXPECT_EQ(run("const t = {}; const h = {get() { throw 1 }};\n"
                "const [a, b] = inspect.proxy(new Proxy(t, h));\n"
                "return [a === t, b === h, inspect.proxy({}) === undefined]")
                .value(),
            "[true,true,true]");
  EXPECT_EQ(
      run("return [inspect.entries(new Map([[1, 'a']])), inspect.entries(new Set([2]))]").value(),
      R"([[[1,"a"]],[2]])");
  EXPECT_EQ(
      run("return [inspect.promise(Promise.resolve(4)), inspect.promise(new Promise(() => {}))]")
          .value(),
      R"([["fulfilled",4],["pending"]])");
}

// Whatever the engine or ICU load at first use must be there: a child that opened a file would be
// ended by the filter.
TEST_F(JsRun, LoadsNothingLate) {
  for (auto const* const code : {
           "new Date(2020, 5, 1).toString()",
           "new Date().toLocaleString('ja', {timeZone: 'America/New_York', dateStyle: 'full'})",
           "new Date().toLocaleString('ar-EG', {timeZone: 'Asia/Kathmandu', timeStyle: 'full'})",
           "new Intl.Segmenter('th', {granularity: 'word'}).segment('สวัสดีครับ').containing(3)",
           "new Intl.Collator('de').compare('ä', 'z')",
           "new Intl.DisplayNames('fr', {type: 'region'}).of('DE')",
           "new Intl.ListFormat('en').format(['a', 'b'])",
           "new Intl.PluralRules('ru').select(3)",
           "new Intl.RelativeTimeFormat('pl').format(3, 'day')",
           "new Intl.NumberFormat('hi', {style: 'currency', currency: 'INR'}).format(1e7)",
           "Intl.supportedValuesOf('timeZone').length",
           "'ǅİ'.toLocaleLowerCase('tr') + 'ﬁ'.normalize('NFKD')",
           "/\\p{Script=Greek}/u.test('α') && /(?<=a)b/v",
           "new RegExp('(a|b)*c'.repeat(50)).test('abc')",
           "new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))",
           "new FinalizationRegistry(() => {}).register({}, 1)",
           "Date.parse('2020-02-30') + Math.random() + performance?.now",
           "(123456.789).toLocaleString() + (2n ** 200n).toLocaleString()",
           "new Array(1e6).fill(1).map((x, i) => x + i).sort().length",
       }) {
    auto const answer = run(code);

    EXPECT_TRUE(answer.is_done()) << code << ": " << ended();
    EXPECT_EQ(ended(), R"("exit":0)") << code;
  }
}

TEST_F(JsRun, SeesNeitherThePlaceNorTheLanguageOfTheServer) {
  EXPECT_EQ(run("return Intl.DateTimeFormat().resolvedOptions().timeZone").value(), R"("UTC")");
  EXPECT_EQ(run("return Intl.DateTimeFormat().resolvedOptions().locale").value(), R"("en-US")");
}

}  // namespace
}  // namespace sallyport::test
