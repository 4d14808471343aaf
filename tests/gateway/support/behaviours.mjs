// What holds for a server of upstreams/, whoever asks and whatever is in between. `naming` says what
// its things are called there, so that the servers themselves can be checked without a gateway.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../clients/support/session.mjs';
import { callWithLogs, hearChanges } from './clients.mjs';
import { allPrompts, allResources, allTemplates, allTools } from './gateway.mjs';

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

export function behavesLikeTheServer(connect, client, naming) {
  const it = check(connect);
  callsTools(it, naming);
  asksTheClient(it, naming);
  reports(it, client, naming);
  changes(it, client, naming);
  offersOthers(it, naming);
}

function callsTools(it, { tool }) {
  it('calls a tool', async (session) => {
    assert.equal(await session.text(tool('hello'), { name: 'Zoë ☕ "\\\n' }), 'Hello, Zoë ☕ "\\\n!');
    const large = 'x'.repeat(300_000);
    assert.equal(await session.text(tool('hello'), { name: large }), `Hello, ${large}!`);
  });

  it('gives back what a failed tool says', async (session) => {
    const result = await session.call(tool('fail'), {});
    assert.equal(result.isError, true);
    assert.equal(result.content[0].text, 'It did not work');
  });

  it('says that arguments are wrong', async (session) => {
    const outcome = await session.call(tool('hello'), { name: 7 }).catch((error) => ({ isError: true, error }));
    assert.equal(outcome.isError, true);
  });

  it('answers many calls at once, each its own', async (session) => {
    const names = Array.from({ length: 30 }, (_, i) => `caller ${i}`);
    const texts = await Promise.all(names.map((name) => session.text(tool('hello'), { name })));
    assert.deepEqual(texts, names.map((name) => `Hello, ${name}!`));
  });

  it('stops a call that is cancelled', async (session) => {
    const abort = new AbortController();
    const call = session.call(tool('slow'), { seconds: 20 }, { signal: abort.signal });
    await eventually(async () => (await session.text(tool('running'), {})) !== '0', 'the call runs');
    abort.abort('changed my mind');
    await assert.rejects(call);
    await eventually(async () => (await session.text(tool('running'), {})) === '0', 'no call runs');
  });
}

function asksTheClient(it, { tool }) {
  it('asks the user', async (session) => {
    assert.equal(await session.text(tool('ask'), { question: 'Who?' }), 'Asked Who?: Alice-name');
    assert.equal(session.elicitations.length, 1);
    assert.equal(session.elicitations[0].message, 'Who?');
    assert.deepEqual(Object.keys(session.elicitations[0].requestedSchema.properties), ['name']);
  });

  it('takes no for an answer', async (session) => {
    session.answer = () => ({ action: 'decline' });
    assert.equal(await session.text(tool('ask'), { question: 'Who?' }), 'Declined');
  });

  it('asks several things at once', async (session) => {
    session.answer = async ({ message }) => {
      await sleep(50);
      return { action: 'accept', content: { name: `answer to ${message}` } };
    };
    const questions = ['a', 'b', 'c'];
    const texts = await Promise.all(questions.map((question) => session.text(tool('ask'), { question })));
    assert.deepEqual(texts, questions.map((question) => `Asked ${question}: answer to ${question}`));
  });

  it('asks the model', async (session) => {
    assert.equal(await session.text(tool('ask_model'), {}), 'Model: forty-two');
    assert.equal(session.samplings, 1);
  });
}

function reports(it, client, { tool }) {
  it('reports progress, and only to those who ask', async (session) => {
    await session.call(tool('steps'), {}, { onprogress: () => {} });
    const sent = session.messages.map(({ params }) => params?.progress ?? 'answer');
    assert.deepEqual(sent, [1, 2, 3, 'answer']);
    await session.call(tool('steps'), {});
    assert.equal(session.notificationsOf('notifications/progress').length, 3);
  });

  it('sends log messages down to the level that was asked for', async (session) => {
    const logs = () => session.notificationsOf('notifications/message').map(({ params }) => params.data);
    await callWithLogs(session, client, 'debug', tool('talk'));
    assert.deepEqual(logs(), ['said quietly', 'said loudly']);
  });
}

function changes(it, client, { tool }) {
  it('tells of a change of the tools, and lists it', async (session) => {
    const told = await hearChanges(session, client);
    const before = told();
    const name = tool(await session.text(tool('grow'), {}));
    await eventually(() => told() > before, 'the change is told');
    await eventually(async () => (await allTools(session)).some((each) => each.name === name), `${name} is listed`);
    assert.match(await session.text(name, {}), /^I am number \d+$/);
  });
}

function offersOthers(it, { uri, prompt }) {
  it('lists and reads resources', async (session) => {
    const listed = (await allResources(session)).find((each) => each.uri === uri('note://one'));
    assert.equal(listed?.mimeType, 'text/plain');
    const { contents } = await session.client.readResource({ uri: uri('note://one') });
    assert.deepEqual(contents.map(({ uri: from, text }) => [from, text]), [[uri('note://one'), 'The first note']]);
    await assert.rejects(session.client.readResource({ uri: uri('note://nowhere') }));
  });

  it('lists templates and reads by them', async (session) => {
    const templates = (await allTemplates(session)).map(({ uriTemplate }) => uriTemplate);
    assert.ok(templates.includes(uri('note://by-id/{id}')), templates.join(' '));
    const { contents } = await session.client.readResource({ uri: uri('note://by-id/42') });
    assert.deepEqual(contents.map(({ uri: from, text }) => [from, text]), [[uri('note://by-id/42'), 'Note 42']]);
  });

  it('lists, renders and completes prompts', async (session) => {
    const listed = (await allPrompts(session)).find(({ name }) => name === prompt('visit'));
    assert.deepEqual(listed?.arguments.map(({ name }) => name), ['city']);
    const { messages } = await session.client.getPrompt({ name: prompt('visit'), arguments: { city: 'Oslo' } });
    assert.equal(messages[0].content.text, 'Visit Oslo');
    const ref = { type: 'ref/prompt', name: prompt('visit') };
    const { completion } = await session.client.complete({ ref, argument: { name: 'city', value: 'par' } });
    assert.deepEqual(completion.values, ['paris', 'park']);
  });
}
