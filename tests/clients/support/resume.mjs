// Sessions of the legacy Streamable HTTP transport: they end when told to, and streams resume.
import assert from 'node:assert/strict';
import { test } from 'node:test';

/** `connect(options)` passes options to the SDK's Streamable HTTP transport. */
export function keepsLegacySessions(connect, url) {
  test('ends the session on DELETE, and knows it no more', { timeout: 30_000 }, async () => {
    const session = await connect();
    const id = session.transport.sessionId;
    assert.match(id, /^[\x21-\x7e]{16,}$/);
    assert.equal(await statusOf(url(), 'POST', id, session.version), 200);
    await session.transport.terminateSession();
    assert.equal(await statusOf(url(), 'POST', id, session.version), 404);
    assert.equal(await statusOf(url(), 'GET', id, session.version), 404);
    assert.equal(await statusOf(url(), 'DELETE', id, session.version), 404);
    await session.close();
  });

  test('gives every session its own id, and refuses requests without', { timeout: 30_000 }, async () => {
    const [one, two] = await Promise.all([connect(), connect()]);
    assert.notEqual(one.transport.sessionId, two.transport.sessionId);
    assert.equal(await statusOf(url(), 'POST', undefined, one.version), 400);
    assert.equal(await statusOf(url(), 'POST', 'made-up-session-id-000', one.version), 404);
    await one.transport.terminateSession();
    assert.equal(await two.text('greet', { name: 'two' }), 'Hello, two!');
    await Promise.all([one.close(), two.close()]);
  });

  test('resumes a stream that broke off', { timeout: 30_000 }, async () => {
    const resumed = [];
    const watch = (input, init) => {
      const last = new Headers(init?.headers).get('last-event-id');
      if (last) resumed.push(last);
      return fetch(input, init);
    };
    const session = await connect({ fetch: watch });
    const text = await session.text('test_reconnection', {});
    assert.match(text, /Reconnection test completed successfully/);
    assert.equal(resumed.length, 1, 'the stream was not broken off, or resumed more than once');
    await session.close();
  });
}

async function statusOf(url, method, sessionId, version) {
  const response = await fetch(url, {
    method,
    headers: {
      'content-type': 'application/json',
      accept: method === 'GET' ? 'text/event-stream' : 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      ...(sessionId && { 'mcp-session-id': sessionId }),
    },
    body: method === 'POST' ? JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }) : undefined,
  });
  await response.body?.cancel();
  return response.status;
}
