// Scripts that look for a way out of the sandbox of the product, or try to take it down.
#include "tests/js/real_fixture.hpp"

namespace sallyport::test {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

class JsRealEscape : public RealSandboxTest {};

struct RealAttempt {
  char const* code;
  char const* value;
};

// All that can be reached from the global object and from values of our APIs, without calling a
// getter: there is nothing of the host among it.
constexpr char kRealWalk[] = R"js(
const seen = new Set();
const found = [];
const visit = (value, path) => {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return;
  if (seen.has(value) || path.length > 400) return;
  seen.add(value);
  if (typeof value === 'function' && ['wake', 'hmac', 'promiseDetails', 'entriesOf',
      'decodeUtf8', 'encodeUtf8', 'proxyDetails'].includes(value.name)) found.push(path);
  if (Object.hasOwn(value, 'promiseDetails') || Object.hasOwn(value, 'onFrame')) found.push(path);
  visit(Object.getPrototypeOf(value), path + '.__proto__');
  for (const key of Reflect.ownKeys(value)) {
    const own = Object.getOwnPropertyDescriptor(value, key);
    visit(own.value, path + '.' + String(key));
    visit(own.get, path + '.get ' + String(key));
    visit(own.set, path + '.set ' + String(key));
  }
};
visit(globalThis, 'globalThis');
visit(import.meta, 'import.meta');
for (const value of [new URL('https://a.test'), new Headers(), new Request('https://a.test'),
  new Response('x'), new Blob(['x']), new FormData(), new AbortController(), new TextDecoder(),
  new ReadableStream(), new TransformStream(), new EventTarget(), new Event('x'),
  new CompressionStream('gzip'), new MessageChannel(), new DOMException('x')]) {
  visit(value, value.constructor.name);
}
try { new Headers({'': ''}) } catch (error) { visit(error, 'error') }
if (seen.size < 1200) found.push('too little to be true: ' + seen.size);
return found)js";

TEST_F(JsRealEscape, FindsNoWayToTheHost) {
  EXPECT_EQ(run("return typeof __host + ('__host' in globalThis)").value(), R"("undefinedfalse")");

  auto const answer = run(kRealWalk);

  EXPECT_EQ(answer.value(), "[]") << answer.raw_done;
}

TEST_F(JsRealEscape, ChainsOfConstructorsEndInTheScriptsOwnWorld) {
  for (auto const& [code, value] : {
           RealAttempt{"return globalThis.constructor.constructor('return typeof process')()",
                       R"("undefined")"},
           RealAttempt{"return fetch.constructor('return this')() === globalThis", "true"},
           RealAttempt{"return console.log.constructor('return typeof __host')()",
                       R"("undefined")"},
           RealAttempt{"return new URL('a:b').constructor.constructor('return typeof require')()",
                       R"("undefined")"},
           RealAttempt{
               "return Object.getPrototypeOf(new Headers().entries()).next.constructor('return "
               "this')() === globalThis",
               "true"},
           RealAttempt{"return setTimeout.constructor.prototype === Function.prototype", "true"},
           RealAttempt{"return (0, eval)('this') === globalThis", "true"},
           RealAttempt{
               "return ['process', 'require', 'Deno', 'Bun', 'Worker', 'gc', 'load', 'read', "
               "'quit', 'importScripts', 'module'].filter((n) => n in globalThis).join()",
               R"("")"},
       }) {
    EXPECT_EQ(run(code).value(), value) << code;
  }
}

TEST_F(JsRealEscape, ImportsNothingWhateverItIsCalled) {
  for (auto const* const specifier : {"'fs'",
                                      "'node:fs'",
                                      "'file:///etc/passwd'",
                                      "'/etc/passwd'",
                                      "'./x.js'",
                                      "''",
                                      "'\\0'",
                                      "'data:text/javascript,export default 1'",
                                      "'https://example.com/x.js'",
                                      "'npm:left-pad'",
                                      "'blob:x'",
                                      "'x'.repeat(1e6)",
                                      "'sallyport:web-apis'",
                                      "'script.js'",
                                      "'test.js'",
                                      "{toString() { return 'fs' }}",
                                      "Symbol.iterator",
                                      "null",
                                      "1n",
                                      "new Proxy({}, {})",
                                      "{toString() { throw new TypeError('mine') }}"}) {
    auto const answer = run(std::string{"try { await import("} + specifier +
                            "); return 'in' } catch (e) { return " + "e instanceof TypeError }");

    EXPECT_EQ(answer.value(), "true") << specifier << answer.raw_done;
  }
  EXPECT_THAT(run("import x from 'fs'; x").message(), HasSubstr("not available"));
  EXPECT_THAT(run("import('fs')").message(), HasSubstr("not available"));
}

// A script may spoil every prototype. That is its own problem: it gets some answer, in time.
TEST_F(JsRealEscape, SpoilsOnlyItself) {
  for (auto const* const code : {
           "Object.prototype.then = (f) => f(1); return {}",
           "Object.prototype.toJSON = () => { throw 1 }; return {}",
           "Array.prototype[Symbol.iterator] = null; console.log([1], new Map([[1, 2]]))",
           "Promise.prototype.then = null; await new Response('x').text()",
           "for (const c of [URL, Headers, Request, Response, Blob, TextEncoder, TextDecoder, "
           "ReadableStream, Event, AbortSignal]) for (const k of "
           "Reflect.ownKeys(c.prototype)) try { delete c.prototype[k] } catch {}\n"
           "return await new Response('x').text()",
           "Uint8Array.prototype.subarray = Uint8Array.prototype.slice = () => { throw 1 }; "
           "new TextDecoder().decode(new Uint8Array([0xe2, 0x82]), {stream: true})",
           "Object.defineProperty(Uint8Array.prototype, 'length', {get() { return 1e9 }}); "
           "new TextDecoder().decode(new Uint8Array(3))",
           "String.prototype.includes = String.prototype.startsWith = () => true; "
           "return new TextDecoder('utf-8', {fatal: true}).decode(new Uint8Array([65]))",
           "for (const k of Reflect.ownKeys(globalThis)) try { delete globalThis[k] } catch {}",
           "for (const k of Reflect.ownKeys(globalThis)) try { globalThis[k] = null } catch {}\n"
           "throw 1",
           "Object.freeze(globalThis); Object.freeze(Object.prototype); return 1",
           "Object.defineProperty(Object.prototype, '0', {set() { throw 1 }}); console.log(1, 2)",
           "String.prototype.split = String.prototype.replace = null; throw new Error('x')",
           "Error.prepareStackTrace = () => { throw new Error('again') }; throw new Error('x')",
           "Error.stackTraceLimit = 1e9; (function f() { f() })()",
           "throw new Proxy(new Error('x'), {get() { throw 1 }, getPrototypeOf() { throw 2 }})",
           "Map.prototype.set = Map.prototype.get = null; setTimeout(() => {}, 1)",
           "globalThis.Function.prototype.call = globalThis.Function.prototype.apply = null; "
           "new Headers({a: 'b'}).get('a')",
           "RegExp.prototype.exec = () => { throw 1 }; new URL('https://a.test/?b=c').searchParams",
           "Object.setPrototypeOf(Response.prototype, new Proxy({}, {get() { throw 1 }})); "
           "return new Response('x').nothing",
           "class E extends EventTarget { dispatchEvent() { throw 1 } } new E().dispatchEvent()",
           "new ReadableStream({pull(c) { c.enqueue(1); throw 1 }}).getReader().read()",
           "const s = new AbortController(); s.signal.onabort = () => { throw 1 }; s.abort()",
           "structuredClone({get x() { throw new Error('in a getter') }})",
           "queueMicrotask(() => { throw new Error('later') })",
           "setTimeout(() => { throw new Error('later') }, 1)",
       }) {
    auto const answer = run(code);

    EXPECT_TRUE(answer.is_done()) << code << " " << ended();
    EXPECT_THAT(ended(), HasSubstr(R"("exit":0)")) << code;
    EXPECT_FALSE(answer.done.empty()) << code << " is answered with no JSON: " << answer.raw_done;
  }
  expect_next_answers("spoiled prototypes");
}

struct RealFlood {
  char const* code;
  char const* limit;  // what ends it; nothing: an error of the script, or its value
};

// What takes a run to its end takes nothing else along.
TEST_F(JsRealEscape, FloodsEndWithTheirRun) {
  for (auto const& [code, limit] : {
           RealFlood{"const f = () => Promise.resolve().then(f); await f()", "memory"},
           RealFlood{"const all = []; for (;;) all.push(new Promise(() => {}))", "memory"},
           RealFlood{"for (;;) Promise.reject(new Error('x'))", "memory"},
           RealFlood{"const f = () => queueMicrotask(f); f()", "cpu"},
           RealFlood{"const f = () => { queueMicrotask(f); queueMicrotask(f) }; f()", "memory"},
           RealFlood{"for (;;) setTimeout(() => {}, 1e6)", "memory"},
           RealFlood{"/^(a+)+$/.test('a'.repeat(40) + 'b')", "cpu"},
           RealFlood{"new RegExp('(?:a?){64}'.repeat(300) + 'b').test('a'.repeat(1e5))", ""},
           RealFlood{"new RegExp('(' + 'a|'.repeat(1e6) + 'b)').test('c'.repeat(10))", ""},
           RealFlood{"const m = new WebAssembly.Memory({initial: 1}); for (;;) m.grow(1000)", ""},
           RealFlood{"const all = []; for (;;) all.push(new WebAssembly.Memory({initial: 500}))",
                     ""},
           RealFlood{"const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1))", ""},
           RealFlood{"(function f() { f() })()", ""},
           RealFlood{"(function f() { try { f() } finally { f() } })()", "cpu"},
           RealFlood{"let o = {}; for (let i = 0; i < 1e5; ++i) o = {o}; return o", ""},
           RealFlood{"let o = []; for (let i = 0; i < 1e5; ++i) o = [o]; console.log(o); "
                     "structuredClone(o); JSON.stringify(o)",
                     ""},
           RealFlood{"Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)", ""},
           RealFlood{
               "await Atomics.waitAsync?.(new Int32Array(new SharedArrayBuffer(4)), 0, 0).value;"
               "await new Promise(() => {})",
               ""},
           RealFlood{"const {port1, port2} = new MessageChannel(); port1.onmessage = () => "
                     "port2.postMessage(1); port2.postMessage(1); await new Promise(() => {})",
                     "cpu"},
       }) {
    auto const answer = run(code, {.heap_mb = 32, .data_mb = 128, .cpu_ms = 1000});

    EXPECT_TRUE(answer.is_done()) << code << " " << ended();
    if (*limit != '\0') EXPECT_EQ(answer.limit(), limit) << code << answer.raw_done;
    expect_next_answers(code);
  }
}

// AbortSignal.timeout() keeps no run alive, but who waits for it is not told that nobody comes.
TEST_F(JsRealEscape, WaitsForAnAlarmThatKeepsNothingAlive) {
  auto const waits =
      run("const signal = AbortSignal.timeout(50);\n"
          "await new Promise((done) => signal.addEventListener('abort', done));\n"
          "return signal.reason.name");
  EXPECT_EQ(waits.value(), R"("TimeoutError")") << waits.raw_done;

  auto const begun = std::chrono::steady_clock::now();
  EXPECT_EQ(run("AbortSignal.timeout(60_000); return 1").value(), "1");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds{20});
  EXPECT_THAT(run("await new Promise(() => {})").message(), HasSubstr("never happens"));
}

TEST_F(JsRealEscape, DecodesUtf8AsTheStandardSays) {
  for (auto const& [code, value] : {
           RealAttempt{
               "const d = new TextDecoder(), b = new TextEncoder().encode('a\\u20ac\\u{1f600}'); "
               "let t = ''; for (const x of b) t += d.decode(Uint8Array.of(x), {stream: true}); "
               "return t + d.decode() === 'a\\u20ac\\u{1f600}'",
               "true"},
           RealAttempt{
               "return new TextDecoder().decode(Uint8Array.of(0xe2, 0x82, 65, 0xff, 0xf0, 0x9f))",
               R"("�A��")"},
           RealAttempt{
               "const d = new TextDecoder(); return d.decode(Uint8Array.of(0xef, 0xbb), {stream: "
               "true}) + d.decode(Uint8Array.of(0xbf, 65))",
               R"("A")"},
           RealAttempt{
               "return new TextDecoder('utf-8', {ignoreBOM: true}).decode(Uint8Array.of(0xef, "
               "0xbb, 0xbf, 65)).length",
               "2"},
           RealAttempt{
               "return new TextDecoder('utf-8', {fatal: true}).decode(Uint8Array.of(0xef, 0xbf, "
               "0xbd))",
               R"("�")"},
           RealAttempt{
               "const d = new TextDecoder('utf-8', {fatal: true}); try { d.decode(Uint8Array.of("
               "0xed, 0xa0), {stream: true}) } catch (e) { return [e.name, "
               "d.decode(Uint8Array.of(65))] }",
               R"(["TypeError","A"])"},
           RealAttempt{"return [...new TextEncoder().encode('\\ud800a')].join()",
                       R"("239,191,189,97")"},
           RealAttempt{"return new TextEncoder().encode('').length + new TextDecoder().decode()",
                       R"("0")"},
       }) {
    auto const answer = run(code);
    EXPECT_EQ(answer.value(), value) << code << answer.raw_done;
  }
}

TEST_F(JsRealEscape, ReadsALargeTextInNoTime) {
  auto const answer =
      run("const bytes = new Uint8Array(20e6).fill(97);\nconst begun = performance.now();\n"
          "const text = await new Response(bytes).text();\n"
          "return [text.length, performance.now() - begun < 1000]",
          {.heap_mb = 128, .data_mb = 400});

  EXPECT_EQ(answer.value(), "[20000000,true]") << answer.raw_done;
}

// A text that has no room is an error that a script can handle.
TEST_F(JsRealEscape, HasNoRoomForAHugeEncodedText) {
  auto const answer =
      run("try { new TextEncoder().encode('x'.repeat(3e7)) } catch (e) { return "
          "e.name }",
          {.heap_mb = 64, .data_mb = 80});

  EXPECT_THAT(answer.raw_done, AnyOf(HasSubstr("RangeError"), HasSubstr(R"("limit":"memory")")));
  EXPECT_THAT(answer.raw_done, Not(HasSubstr("crash")));
  expect_next_answers("a huge text");
}

}  // namespace
}  // namespace sallyport::test
