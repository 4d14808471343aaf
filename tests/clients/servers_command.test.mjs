// `sallyport servers` with servers of our own and of others: a program, HTTP, one that wants a
// sign-in.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, beforeEach, afterEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { browse } from '../peers/browser.mjs';
import { conformanceServer } from '../peers/paths.mjs';
import { freePort, startServer } from '../peers/server.mjs';
import { Home } from './support/program.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const limit = { timeout: 120_000 };
let home;
beforeEach(async () => (home = await Home.make()));
afterEach(() => home.remove());

function resolved(specifier) {
  return fileURLToPath(import.meta.resolve(specifier));
}

function startNode(script, variables = {}) {
  const args = ['--import', path.join(here, '../peers/resolve.mjs'), script];
  const child = spawn(process.execPath, args, { env: { ...process.env, ...variables } });
  child.stderr.resume();
  return child;
}

// The first one that it prints; what else it prints is read, too.
function lineOf(child) {
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('close', () => reject(new Error(`The server ended: ${text}`)));
    child.stdout.setEncoding('utf8').on('data', (piece) => {
      text += piece;
      if (text.includes('\n')) resolve(text.split('\n')[0]);
    });
  });
}

describe('a program', () => {
  const add = () => home.run('servers', 'add', 'conf', '--', conformanceServer, '--stdio');

  test('is tested, then written for its owner alone', limit, async () => {
    const added = await add();
    assert.equal(added.code, 0, added.out + added.err);
    assert.match(added.out, /ok program {2}runs\n {2}ok session {2}sallyport-fixture .*MCP 2026-07-28\n {2}ok tools/);
    const file = path.join(home.folder, 'sallyport/servers.json');
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(JSON.parse(await readFile(file, 'utf8')), {
      mcpServers: { conf: { type: 'stdio', command: conformanceServer, args: ['--stdio'] } },
    });
    const [listed] = JSON.parse((await home.run('servers', 'list', '--json')).out);
    assert.equal(listed.kind, 'program');
    assert.equal(listed.error, null);
    assert.ok(listed.tools > 10);
  });

  test('that fails its test is not written', limit, async () => {
    for (const [command, why] of [
      [['/nonexistent'], /cannot be started: No such file/],
      [['sh', '-c', 'echo out of order >&2; exit 3'], /The program said last:\n +out of order/],
    ]) {
      const added = await home.run('servers', 'add', 'bad', '--', ...command);
      assert.equal(added.code, 1);
      assert.match(added.out, why);
      assert.match(added.err, /Nothing was added/);
    }
    assert.equal((await home.run('servers', 'list', '--json')).out, '[]\n');
  });

  test('has its tools called', limit, async () => {
    await add();
    const greeted = await home.run('servers', 'call', 'conf', 'greet', '--arg', 'name=5');
    assert.deepEqual([greeted.code, greeted.out], [0, 'Hello, 5!\n']);
    const whole = await home.run('servers', 'call', 'conf', 'greet', '--json', '{"name":"Ada"}', '--raw');
    assert.equal(JSON.parse(whole.out).content[0].text, 'Hello, Ada!');
    const failed = await home.run('servers', 'call', 'conf', 'test_error_handling');
    assert.equal(failed.code, 1);
    assert.match(failed.out, /intentionally returns an error/);
    const progress = await home.run('servers', 'call', 'conf', 'test_tool_with_progress');
    assert.match(progress.err, /\[#{10} {10}\] 50\/100/);
    const logged = await home.run('servers', 'call', 'conf', 'test_tool_with_logging');
    assert.match(logged.err, /info: Tool processing data/);
    const unknown = await home.run('servers', 'call', 'conf', 'gret');
    assert.equal(unknown.code, 1);
    assert.match(unknown.err, /no tool gret \(did you mean greet\?\)/);
  });

  test('asks at the terminal, and is refused where there is none', limit, async () => {
    await add();
    const alone = await home.run('servers', 'call', 'conf', 'test_elicitation', '--arg', 'message=Who?');
    assert.equal(alone.code, 1);
    assert.match(alone.err, /call it at a terminal/);
    const call = ['servers', 'call', 'conf', 'test_elicitation', '--arg', 'message=Who?'];
    const answered = await home.runAtTerminal(
      [[/conf asks: Who\?[^]*Answer\? \[y\/N\] /, 'y'], [/username.*: /, 'ada'], [/email.*: /, 'a@b.example']],
      ...call,
    );
    assert.equal(answered.code, 0, answered.out);
    assert.match(answered.out, /ada/);
    const declined = await home.runAtTerminal([[/Answer\? \[y\/N\] /, 'n']], ...call);
    assert.match(declined.out, /decline/);
  });

  test('is forgotten when it is removed', limit, async () => {
    await add();
    assert.equal((await add()).code, 2);
    assert.equal((await home.run('servers', 'remove', 'conf')).code, 0);
    assert.equal((await home.run('servers', 'test', 'conf')).code, 2);
  });
});

describe('a server over HTTP', () => {
  let server;
  before(async () => (server = await startServer()));
  after(() => server?.stop());

  test('is on a private network only where that was said', limit, async () => {
    const refused = await home.run('servers', 'add', 'web', server.url);
    assert.equal(refused.code, 1);
    assert.match(refused.out, /no address {2}127\.0\.0\.1 is a loopback address[^]*--private-network/);
    const added = await home.run('servers', 'add', 'web', server.url, '--private-network');
    assert.equal(added.code, 0, added.out + added.err);
    assert.match(added.out, /ok address {2}[^]*ok session[^]*ok tools/);
    const called = await home.run('servers', 'call', 'web', 'test_simple_text');
    assert.equal(called.out, 'This is a simple text response for testing.\n');
  });

  test('is on record', limit, async () => {
    await home.run('servers', 'add', 'web', server.url, '--private-network');
    const listed = await home.run('audit', 'list', '--format', 'json');
    assert.match(listed.out, /upstream web/, listed.err);
  });

  test('keeps what was known of it when it is gone', limit, async () => {
    const other = await startServer();
    await home.run('servers', 'add', 'web', other.url, '--private-network');
    await other.stop();
    const tested = await home.run('servers', 'test', 'web');
    assert.equal(tested.code, 1);
    assert.match(tested.out, /no session {2}.*connection refused/);
    const [listed] = JSON.parse((await home.run('servers', 'list', '--json')).out);
    assert.match(listed.error, /connection refused/);
    assert.ok(listed.tools > 10);
  });
});

describe('a server of the TypeScript SDK', () => {
  let child;
  let url;
  before(async () => {
    const port = await freePort();
    const script = resolved('@modelcontextprotocol/sdk/examples/server/simpleStreamableHttp.js');
    child = startNode(script, { MCP_PORT: String(port) });
    await lineOf(child);
    url = `http://127.0.0.1:${port}/mcp`;
  });
  after(async () => {
    child.kill();
    await once(child, 'close');
  });

  test('is added and called', limit, async () => {
    const added = await home.run('servers', 'add', 'sdk', url, '--private-network');
    assert.equal(added.code, 0, added.out + added.err);
    assert.match(added.out, /ok session {2}simple-streamable-http-server 1\.0\.0, MCP 2025-11-25/);
    const greeted = await home.run('servers', 'call', 'sdk', 'greet', '--arg', 'name=Ada');
    assert.deepEqual([greeted.code, greeted.out], [0, 'Hello, Ada!\n']);
    const several = await home.run('servers', 'call', 'sdk', 'multi-greet', '--arg', 'name=Ada');
    assert.equal(several.code, 0, several.err);
    assert.match(several.err, /info: Sending first greeting to Ada/);
  });
});

describe('a server that wants a sign-in', () => {
  let child;
  let url;
  let issuer;
  before(async () => {
    child = startNode(path.join(here, '../peers/oidc_sign_in.mjs'));
    url = await lineOf(child);
    const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url));
    issuer = new URL((await metadata.json()).authorization_servers[0]);
  });
  // What a server names is not open because the server is.
  beforeEach(() => (home.variables = { SALLYPORT_EGRESS_OPEN: issuer.host }));
  after(async () => {
    child.kill();
    await once(child, 'close');
  });

  test('is added, signed in to, used and signed out of', limit, async () => {
    const added = await home.run('servers', 'add', 'who', url, '--private-network');
    assert.equal(added.code, 0, added.out + added.err);
    assert.match(added.out, /no session {2}who wants to know who you are: sign in with `sallyport servers login who`/);
    assert.match(added.out, new RegExp(`ok sign-in {2}at ${issuer.origin}`));

    const login = home.start(['servers', 'login', 'who', '--no-browser']);
    const [start] = await login.said(/^http:\S+$/m);
    const [, callback] = await login.said(/come back to (http:\S+) /);
    assert.match(callback, /^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const strange = await fetch(`${callback}?code=x&state=y`);
    assert.equal(strange.status, 400);
    const page = await browse(start);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /Signed in/);
    const done = await login.ended();
    assert.equal(done.code, 0, done.err);
    assert.match(done.err, /Signed in to who at http:/);

    assert.equal((await home.run('servers', 'test', 'who')).code, 0);
    assert.equal((await home.run('servers', 'call', 'who', 'whoami')).out, 'ada\n');
    const out = await home.run('servers', 'logout', 'who');
    assert.match(out.err, /Signed out of who/);
    const refused = await home.run('servers', 'call', 'who', 'whoami');
    assert.equal(refused.code, 1);
    assert.match(refused.err, /sign in with `sallyport servers login who`/);
  });

  // What xdg-open starts, since nothing else is installed for it: a browser that says what it was given.
  async function browserOfXdgOpen() {
    const script = path.join(home.folder, 'browser');
    const seen = path.join(home.folder, 'seen');
    const visit = `exec '${process.execPath}' '${path.join(here, '../peers/browser.mjs')}' "$1"`;
    await writeFile(script, `#!/bin/sh\nprintf '%s\\n' "$@" >'${seen}'\n${visit}\n`, { mode: 0o700 });
    const none = path.join(home.folder, 'none');
    const variables = { BROWSER: script, HOME: none, XDG_CONFIG_HOME: none, XDG_DATA_HOME: none, XDG_DATA_DIRS: none };
    const desktop = { XDG_CURRENT_DESKTOP: '', DESKTOP_SESSION: '', KDE_FULL_SESSION: '', GNOME_DESKTOP_SESSION_ID: '' };
    return { variables: { ...variables, ...desktop }, seen: () => readFile(seen, 'utf8').catch(() => undefined) };
  }

  test('is signed in to with the browser that xdg-open opens', limit, async () => {
    await home.run('servers', 'add', 'who', url, '--private-network', '--no-test');
    const { variables, seen } = await browserOfXdgOpen();
    const login = home.start(['servers', 'login', 'who'], { ...variables, DISPLAY: ':nowhere' });
    const done = await login.ended();
    assert.equal(done.code, 0, done.err);
    assert.match(done.err, /the browser that has just opened[^]*Signed in to who at http:/);
    assert.match(done.out, /^http:\S+\n$/);
    assert.equal(await seen(), done.out, 'the browser was given something else');
    assert.equal((await home.run('servers', 'call', 'who', 'whoami')).out, 'ada\n');
  });

  test('waits for another browser where there is no display, or no xdg-open', limit, async () => {
    await home.run('servers', 'add', 'who', url, '--private-network', '--no-test');
    const { variables, seen } = await browserOfXdgOpen();
    const noProgram = { DISPLAY: ':nowhere', PATH: path.join(home.folder, 'none') };
    for (const missing of [{}, noProgram]) {
      const login = home.start(['servers', 'login', 'who'], { ...variables, ...missing });
      const [start] = await login.said(/^http:\S+$/m);
      await login.said(/Open this in a browser[^]*Waiting for you/);
      await browse(start);
      const { code, err } = await login.ended();
      assert.equal(code, 0, err);
    }
    assert.equal(await seen(), undefined, 'a browser was opened');
  });

  test('lets go of everything with Ctrl+C', limit, async () => {
    await home.run('servers', 'add', 'who', url, '--private-network', '--no-test');
    const login = home.start(['servers', 'login', 'who']);
    await login.said(/Waiting for you/);
    login.child.kill('SIGINT');
    const { code, signal } = await login.ended();
    assert.deepEqual([code, signal], [130, null]);
  });
});
