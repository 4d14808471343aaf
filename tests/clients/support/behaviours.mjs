// What any client may expect of conformance_server, whichever transport and revision it uses.
// `connect()` gives a connected Session; each test has one of its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from './session.mjs';

export function check(connect) {
  return (name, body) =>
    test(name, { timeout: 30_000 }, async () => {
      const session = await connect();
      try {
        await body(session);
      } finally {
        await session.close();
      }
    });
}

export function behavesLikeAServer(connect, { version }) {
  const it = check(connect);
  it(`negotiates ${version}`, (session) => {
    assert.equal(session.version, version);
    assert.ok(session.client.getServerVersion()?.name);
    assert.ok(session.client.getServerCapabilities()?.tools);
  });
  listsAndReads(it, version >= '2026-07-28' ? -32602 : -32002);
  callsTools(it);
  reportsProgress(it);
  cancels(it);
}

function listsAndReads(it, notFoundCode) {
  it('lists tools with schemas', async ({ client }) => {
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    for (const name of ['test_simple_text', 'test_tool_with_progress', 'greet', 'echo', 'slow_compute']) {
      assert.ok(names.includes(name), `${name} is missing among ${names}`);
    }
    assert.equal(new Set(names).size, names.length);
    const greet = tools.find((tool) => tool.name === 'greet');
    assert.ok(greet.description);
    assert.deepEqual(greet.inputSchema.required, ['name']);
  });

  it('lists and reads resources', async ({ client }) => {
    const { resources } = await client.listResources();
    assert.ok(resources.some(({ uri }) => uri === 'test://static-text'));
    const { contents } = await client.readResource({ uri: 'test://static-text' });
    assert.deepEqual(contents, [
      { uri: 'test://static-text', mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
    ]);
    const binary = await client.readResource({ uri: 'test://static-binary' });
    assert.equal(binary.contents[0].mimeType, 'image/png');
    assert.equal(Buffer.from(binary.contents[0].blob, 'base64').subarray(1, 4).toString(), 'PNG');
  });

  it('reads resources by template', async ({ client }) => {
    const { resourceTemplates } = await client.listResourceTemplates();
    assert.equal(resourceTemplates[0].uriTemplate, 'test://template/{id}/data');
    const { contents } = await client.readResource({ uri: 'test://template/42/data' });
    assert.equal(JSON.parse(contents[0].text).id, '42');
  });

  it('says which resource it does not have', async (session) => {
    await assert.rejects(session.client.readResource({ uri: 'test://nothing-here' }));
    // As sent: SDK 2 shows its user the modern code in either era.
    assert.equal(session.responses.at(-1).error.code, notFoundCode);
  });

  it('lists, renders and completes prompts', async ({ client }) => {
    const { prompts } = await client.listPrompts();
    assert.ok(prompts.some(({ name }) => name === 'test_simple_prompt'));
    const name = 'test_prompt_with_arguments';
    const { messages } = await client.getPrompt({ name, arguments: { arg1: 'one', arg2: 'zwei' } });
    assert.equal(messages[0].content.text, "Prompt with arguments: arg1='one', arg2='zwei'");
    await assert.rejects(client.getPrompt({ name: 'no_such_prompt' }), { code: -32602 });
    const ref = { type: 'ref/prompt', name };
    const { completion } = await client.complete({ ref, argument: { name: 'arg1', value: 'p' } });
    assert.ok(Array.isArray(completion.values));
  });
}

function callsTools(it) {
  it('calls tools', async (session) => {
    assert.equal(await session.text('test_simple_text', {}), 'This is a simple text response for testing.');
    assert.equal(await session.text('test_simple_text'), 'This is a simple text response for testing.');
    assert.equal(await session.text('greet', { name: 'Zoë ☕ "\\\n\u2028' }), 'Hello, Zoë ☕ "\\\n\u2028!');
    assert.deepEqual(session.errors, []);
  });

  it('returns every kind of content', async (session) => {
    const { content } = await session.call('test_multiple_content_types', {});
    assert.deepEqual(content.map(({ type }) => type), ['text', 'image', 'resource']);
    assert.equal(content[2].resource.uri, 'test://mixed-content-resource');
    const audio = await session.call('test_audio_content', {});
    assert.equal(audio.content[0].mimeType, 'audio/wav');
  });

  it('answers many calls at once, each its own', async (session) => {
    const names = Array.from({ length: 30 }, (_, i) => `caller ${i}`);
    const texts = await Promise.all(names.map((name) => session.text('greet', { name })));
    assert.deepEqual(texts, names.map((name) => `Hello, ${name}!`));
  });

  it('carries large arguments', async (session) => {
    const name = 'x'.repeat(300_000);
    assert.equal(await session.text('greet', { name }), `Hello, ${name}!`);
  });

  it('does not keep quick calls waiting behind a slow one', async (session) => {
    const slow = session.call('slow_compute', { seconds: 1, label: 'slow' });
    const first = await Promise.race([session.text('greet', { name: 'quick' }), slow]);
    assert.equal(first, 'Hello, quick!');
    assert.notEqual((await slow).isError, true);
  });

  it('tells a failed tool from a bad call', async (session) => {
    const failed = await session.call('test_error_handling', {});
    assert.equal(failed.isError, true);
    assert.match(failed.content[0].text, /This tool intentionally returns an error for testing/);
    const badArguments = await session.call('greet', { name: 7 });
    assert.equal(badArguments.isError, true);
    assert.match(badArguments.content[0].text, /name/);
    assert.equal((await session.call('greet', {})).isError, true);
    await assert.rejects(session.call('no_such_tool', {}), { code: -32602 });
    assert.equal(await session.text('greet', { name: 'still here' }), 'Hello, still here!');
  });
}

function reportsProgress(it) {
  it('reports progress in order, and only to those who ask', async (session) => {
    const told = [];
    await session.call('test_tool_with_progress', {}, { onprogress: ({ progress }) => told.push(progress) });
    const sent = session.messages.map((message) => message.params?.progress ?? 'answer');
    assert.deepEqual(sent, [0, 50, 100, 'answer']);
    assert.ok(session.notificationsOf(kProgress).every(({ params }) => params.total === 100));
    assert.deepEqual(told.slice(0, 2), [0, 50]);
    await session.call('test_tool_with_progress', {});
    assert.equal(session.notificationsOf(kProgress).length, 3);
    assert.deepEqual(session.errors.filter(isNotLateProgress), []);
  });

  it('keeps the progress of concurrent calls apart', async (session) => {
    const call = () => session.call('test_tool_with_progress', {}, { onprogress: () => {} });
    await Promise.all(Array.from({ length: 5 }, call));
    const runs = Map.groupBy(session.notificationsOf(kProgress), ({ params }) => params.progressToken);
    assert.equal(runs.size, 5);
    for (const run of runs.values()) {
      assert.deepEqual(run.map(({ params }) => params.progress), [0, 50, 100]);
    }
  });
}

const kProgress = 'notifications/progress';
// The SDK complains about progress that it receives in one piece with the answer.
const isNotLateProgress = (error) => !/unknown token/.test(error.message);

function cancels(it) {
  it('stops a call that is cancelled', async (session) => {
    const { tools } = await session.client.listTools();
    await session.text('greet', { name: 'warm' });
    const answered = session.responses.length;
    const abort = new AbortController();
    const call = session.call('slow_compute', { seconds: 1.5, label: 'unwanted' }, { signal: abort.signal });
    setTimeout(() => abort.abort('changed my mind'), 300);
    await assert.rejects(call, 'the client waited for the whole call');
    // A server that did not stop would answer after 1.5 s.
    await sleep(1_700);
    assert.deepEqual(session.responses.slice(answered), [], 'a cancelled call was answered');
    await runningCallsEnd(session, tools);
    assert.equal(await session.text('greet', { name: 'after' }), 'Hello, after!');
  });

  it('stops calls at whatever moment they are cancelled', async (session) => {
    // slow_compute waits 100 ms at a time: some of these are cancelled just as a wait is over.
    const call = async (_, i) => {
      const signal = AbortSignal.timeout(290 + i);
      await assert.rejects(session.call('slow_compute', { seconds: 1, label: `call ${i}` }, { signal }));
    };
    await Promise.all(Array.from({ length: 20 }, call));
    await sleep(1_000);
    assert.deepEqual(session.responses, [], 'a cancelled call was answered');
  });

  it('stops a long call soon', async (session) => {
    const { tools } = await session.client.listTools();
    const abort = new AbortController();
    const call = session.call('slow_compute', { seconds: 25, label: 'long' }, { signal: abort.signal });
    setTimeout(() => abort.abort('changed my mind'), 200);
    await assert.rejects(call);
    await runningCallsEnd(session, tools);
  });
}

// Nothing on the wire shows that a call stopped after its stream was closed; the fixture says so.
async function runningCallsEnd(session, tools) {
  assert.ok(tools.some(({ name }) => name === 'running_calls'), 'the fixture lacks running_calls');
  await eventually(async () => (await session.text('running_calls', {})) === '0', 'no call is running');
}
