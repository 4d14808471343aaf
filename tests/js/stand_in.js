// Stands in for the web APIs (src/js/web_apis) in the tests of the sandbox: the least that keeps to
// the contract, so that these tests are about the sandbox alone.
(() => {
  'use strict';
  const host = __host;
  const Kind = { Answer: 2, Console: 16, Call: 17, Chunk: 32, End: 33, Credit: 34, Cancel: 35 };
  const { stringify, parse } = JSON;
  const PromiseOf = Promise;
  const now = host.now;
  const calls = new Map();
  const timers = new Map();
  let lastCall = 0;
  let lastTimer = 0;

  const show = (value) => (typeof value === 'string' ? value : stringify(value) ?? String(value));
  const write = (level) => (...values) =>
    host.send(Kind.Console, 0, stringify({ level, text: values.map(show).join(' ') }));
  globalThis.console = { log: write('log'), error: write('error') };

  const arm = () => {
    let next;
    for (const timer of timers.values()) if (next === undefined || timer.at < next) next = timer.at;
    host.wake(next);
  };
  globalThis.setTimeout = (callback, delay = 0) => {
    timers.set(++lastTimer, { at: now() + delay, callback });
    arm();
    return lastTimer;
  };
  globalThis.call = (operation, options = {}) => {
    const id = ++lastCall;
    const chunks = [];
    host.send(Kind.Call, id, stringify({ operation, ...options }));
    return new PromiseOf((resolve, reject) => calls.set(id, { resolve, reject, chunks }));
  };
  // Parts of __host that tests want to look at, as the web APIs would use them.
  globalThis.sendChunk = (text) => host.send(Kind.Chunk, 1, text);
  globalThis.random = (bytes) => host.random(bytes);
  globalThis.hex = (bytes) => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join('');
  globalThis.digest = (name, bytes) => host.digest(name, bytes);
  globalThis.hmac = (name, key, bytes) => host.hmac(name, key, bytes);
  globalThis.clone = (value, transfer) => host.clone(value, transfer);
  globalThis.inspect = {
    promise: host.promiseDetails, entries: host.entriesOf, proxy: host.proxyDetails,
  };

  host.warm = () => { new Date().toString(); new Intl.NumberFormat('de').format(1); };
  host.begin = (run) => { calls.clear(); timers.clear(); globalThis.runName = run.name; globalThis.apis = run.apis; };
  host.prepare = (code, name, session) => {
    if (code.startsWith('#refuse')) {
      return { error: { name: 'SyntaxError', message: 'Refused.', line: 1, column: 2 } };
    }
    // `return X` at the end of the text is its value. `keep a, b` in the first line names bindings.
    const names = [];
    code = code.replace(/^\/\/ keep ([\w, ]+)/, (all, list) => (names.push(...list.split(/, */)), all));
    const source = code.replace(/(^|[\n;] ?)return ([^\n]*)$/, '$1import.meta.result = $2');
    return { source: session && names.length ? `${source}\nexport { ${names.join(', ')} };` : source, names };
  };
  host.toResult = (value) => stringify(value);
  host.describe = (error) => {
    if (error === null || typeof error !== 'object') {
      return { name: 'Error', message: String(error), stack: '' };
    }
    return { name: String(error.name), message: String(error.message), stack: String(error.stack) };
  };
  host.onFrame = (kind, id, payload) => {
    const pending = calls.get(id);
    if (!pending) return;
    if (kind === Kind.Chunk) pending.chunks.push(payload.length);
    if (kind === Kind.Credit) pending.chunks.push(`credit ${payload}`);
    if (kind === Kind.Answer) pending.answer = parse(payload);
    if (kind === Kind.Answer && pending.answer.body) return;
    if (kind === Kind.Answer || kind === Kind.End) {
      calls.delete(id);
      const { value, error } = pending.answer;
      if (error) pending.reject(Object.assign(new Error(error.message), { name: error.name }));
      else pending.resolve(pending.chunks.length ? { value, chunks: pending.chunks } : value);
    }
  };
  host.onWake = () => {
    for (const [id, timer] of [...timers]) {
      if (timer.at > now() || !timers.delete(id)) continue;
      timer.callback();
    }
    arm();
  };
  host.isBusy = () => calls.size > 0 || timers.size > 0;
  host.unhandled = () => {};
  host.handledLater = () => {};
})();
