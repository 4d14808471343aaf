// Scripts that look for a way out, or at what is not theirs.
#include "tests/js/sandbox_fixture.hpp"

namespace sallyport::test {
namespace {

using ::testing::HasSubstr;

class JsEscape : public SandboxTest {};

struct Attempt {
  char const* code;
  char const* value;  // what it may get
};

// All that can be reached from the global object, from `import.meta`, from functions of the web
// APIs and from what their generators, promises and errors inherit. Getters are not called but
// looked at.
constexpr char kWalk[] = R"js(
const seen = new Set();
const found = [];
const visit = (value, path) => {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return;
  if (seen.has(value)) return;
  seen.add(value);
  if (path.length > 400) return;
  if (typeof value === 'function' && ['send', 'wake', 'hmac'].includes(value.name) &&
      Function.prototype.toString.call(value).includes('[native code]')) found.push(path);
  if (path !== 'globalThis.__host' && Object.hasOwn(value, 'promiseDetails')) found.push(path);
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
visit(function* () {}, 'generator');
visit(async function* () {}, 'async generator');
visit(new Error(), 'error');
visit((function () { return arguments })(), 'arguments');
if (seen.size < 500) found.push('too little to be true: ' + seen.size);
return found)js";

TEST_F(JsEscape, FindsNoWayToTheHost) {
  EXPECT_EQ(run("return typeof __host").value(), R"("undefined")");
  EXPECT_EQ(run("return '__host' in globalThis").value(), "false");

  auto const answer = run(kWalk);

  EXPECT_EQ(answer.value(), "[]") << answer.raw_done;
}

TEST_F(JsEscape, FindsNoOtherGlobalObject) {
  for (auto const& [code, value] : {
           Attempt{"return this.constructor.constructor('return typeof process')()", "(none)"},
           Attempt{"return globalThis.constructor.constructor('return typeof process')()",
                   R"("undefined")"},
           Attempt{"return console.log.constructor('return typeof __host')()", R"("undefined")"},
           Attempt{"return Function('return this')() === globalThis", "true"},
           Attempt{"return (0, eval)('this') === globalThis", "true"},
           Attempt{"return [].constructor.constructor('return typeof require')()",
                   R"("undefined")"},
           Attempt{"return typeof setTimeout.constructor('return this')().Deno", R"("undefined")"},
           Attempt{
               "return Object.getPrototypeOf(async () => {}).constructor('return 1')() instanceof "
               "Promise",
               "true"},
           Attempt{"return [typeof gc, typeof print, typeof load, typeof quit, typeof read].join()",
                   R"("undefined,undefined,undefined,undefined,undefined")"},
           Attempt{"return [typeof Worker, typeof process, typeof Deno].join()",
                   R"("undefined,undefined,undefined")"},
       }) {
    EXPECT_EQ(run(code).value(), value) << code;
  }
}

// The web APIs are strict code: V8 hides their functions and their `this` from stack traces.
TEST_F(JsEscape, SeesNoFunctionsInStackTraces) {
  auto const answer =
      run("Error.prepareStackTrace = (error, calls) => calls;\n"
          "const seen = [];\n"
          "const look = () => { for (const c of new Error().stack) seen.push(typeof c.getThis(), "
          "typeof "
          "c.getFunction()) };\n"
          "await new Promise((done) => setTimeout(() => { look(); done() }));\n"
          "console.log({toJSON() { look(); return 1 }});\n"
          "clone({get x() { look(); return 1 }});\n"
          "return [...new Set(seen)]");

  EXPECT_EQ(answer.value(), R"(["undefined"])") << answer.raw_done;
  EXPECT_EQ(run("function f() { return f.caller } return [1].map(f)[0]").value(), "(none)");
  EXPECT_THAT(run("return (function () { 'use strict'; return arguments.callee })()").message(),
              HasSubstr("may not be accessed"));
}

TEST_F(JsEscape, HasNoLanguageOfTheEngineItself) {
  EXPECT_EQ(run("%DebugPrint(1)").error("name"), "SyntaxError");
  EXPECT_EQ(run("return eval('%SystemBreak()')").error("name"), "SyntaxError");
  EXPECT_EQ(run("debugger; return 1").value(), "1");
}

// There is nobody to be woken by: it would be for ever, and no CPU time is used meanwhile.
TEST_F(JsEscape, CannotWaitForSharedMemory) {
  EXPECT_EQ(run("Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)").message(),
            "Atomics.wait cannot be called in this context");
  EXPECT_THAT(
      run("await Atomics.waitAsync?.(new Int32Array(new SharedArrayBuffer(4)), 0, 0).value;\n"
          "await new Promise(() => {})")
          .message(),
      HasSubstr("never happens"));

  // (module (memory (export "m") 1 1 shared)
  //   (func (export "w") (result i32) i32.const 0 i32.const 0 i64.const -1 memory.atomic.wait32 0))
  auto const answer =
      run("const bytes = new Uint8Array([0,97,115,109,1,0,0,0, 1,5,1,96,0,1,127, 3,2,1,0,\n"
          "5,4,1,3,1,1, 7,9,2,1,109,2,0,1,119,0,0, 10,14,1,12,0,65,0,65,0,66,127,254,1,2,0,11]);\n"
          "const {instance} = await WebAssembly.instantiate(bytes);\n"
          "return instance.exports.w()",
          {.cpu_ms = 500});

  EXPECT_THAT(answer.message(), HasSubstr("Atomics.wait")) << answer.raw_done;
}

TEST_F(JsEscape, RunsWebAssembly) {
  // (module (func (export "f") (result i32) i32.const 42))
  auto const answer =
      run("const bytes = new Uint8Array([0,97,115,109,1,0,0,0, 1,5,1,96,0,1,127, 3,2,1,0,\n"
          "7,5,1,1,102,0,0, 10,6,1,4,0,65,42,11]);\n"
          "const {instance} = await WebAssembly.instantiate(bytes);\n"
          "return instance.exports.f()");

  EXPECT_EQ(answer.value(), "42") << answer.raw_done << ended();
}

// A script may spoil everything it can reach. It is then its own problem: it gets some answer.
TEST_F(JsEscape, SpoilsOnlyItself) {
  for (auto const* const code : {
           "Object.prototype.then = (f) => f(1); return {}",
           "Object.prototype.toJSON = () => undefined; throw new Error('x')",
           "Object.prototype.toJSON = () => { throw 1 }; return {}",
           "Array.prototype[Symbol.iterator] = null; console.log([1])",
           "Promise.prototype.then = null; await 1",
           "globalThis.Promise = null; await import('x')",
           "Error.prototype.toString = null; Error.captureStackTrace = null; throw new Error('x')",
           "Error.prepareStackTrace = () => { throw new Error('again') }; throw new Error('x')",
           "Error.stackTraceLimit = 1e9; (function f() { f() })()",
           "for (const k of Reflect.ownKeys(globalThis)) try { delete globalThis[k] } catch {}",
           "for (const k of Reflect.ownKeys(globalThis)) try { globalThis[k] = null } catch "
           "{}\nthrow 1",
           "Object.freeze(globalThis); Object.freeze(Object.prototype); return 1",
           "Object.setPrototypeOf(globalThis, new Proxy({}, {get() { throw 1 }})); x",
           "Object.defineProperty(Object.prototype, 'error', {get() { throw 1 }}); return 1",
           "Object.defineProperty(Object.prototype, '0', {set() { throw 1 }}); console.log(1, 2)",
           "String.prototype.split = String.prototype.replace = null; throw new Error('x')",
           "throw new Proxy(new Error('x'), {get() { throw 1 }, getPrototypeOf() { throw 2 }})",
           "const e = new Error('x'); e.stack = {toString() { throw e }}; throw e",
           "const e = new Error('x'); e.cause = e; throw e",
           "throw Object.defineProperty(new Error('x'), 'message', {get() { throw 1 }})",
           "Symbol.prototype[Symbol.toPrimitive] = 1; throw Symbol('x')",
           "class X extends Promise { constructor() { super(() => {}) } } return new X()",
           "return new Proxy(Promise.resolve(1), {})",
           "const p = new Proxy(function () {}, {}); return p",
       }) {
    auto const answer = run(code, {.cpu_ms = 3000});

    EXPECT_TRUE(answer.is_done()) << code << " " << ended();
    EXPECT_EQ(ended(), R"("exit":0)") << code;
    EXPECT_FALSE(answer.done.empty()) << code << " is answered with no JSON: " << answer.raw_done;
  }
}

TEST_F(JsEscape, TheNextRunOfASpoiledSessionStillEnds) {
  for (auto const* const code : {
           "Object.prototype.error = {name: 'Fake', message: 'fake'}; ",
           "Object.prototype.code = '2'; Object.prototype.source = '3'",
           "Array.prototype.push = null; String.prototype.replace = null",
           "globalThis.JSON = null; globalThis.Object = null",
       }) {
    auto peer = sandbox().fork({.cpu_ms = 3000});
    peer.run_in_session(code);
    auto const answer = peer.run_in_session("return 1");

    EXPECT_TRUE(answer.value() == "1" || answer.error("name") == "TypeError")
        << code << answer.raw_done;
    peer.close();
    sandbox().message();
  }
}

}  // namespace
}  // namespace sallyport::test
