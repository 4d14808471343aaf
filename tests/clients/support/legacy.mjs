// What the legacy revisions have and 2026-07-28 has not: requests of the server to the client, and
// state that belongs to the connection.
import assert from 'node:assert/strict';
import { check } from './behaviours.mjs';

export function behavesLikeALegacyServer(connect) {
  const it = check(connect);

  it('answers ping', ({ client }) => client.ping());

  it('asks the user', async (session) => {
    const text = await session.text('test_elicitation', { message: 'Who are you?' });
    assert.equal(session.elicitations.length, 1);
    assert.equal(session.elicitations[0].message, 'Who are you?');
    assert.match(text, /^User response: .*accept/);
    for (const name of session.elicitations[0].requestedSchema.required) {
      assert.match(text, name === 'email' ? /alice@example\.com/ : new RegExp(`Alice-${name}`));
    }
  });

  it('takes no for an answer', async (session) => {
    session.answer = () => ({ action: 'decline' });
    const result = await session.call('test_elicitation', { message: 'Who are you?' });
    assert.match(result.content[0].text, /decline/);
  });

  it('asks several users at once', async (session) => {
    session.answer = ({ message, requestedSchema }) => ({
      action: 'accept',
      content: Object.fromEntries(requestedSchema.required.map((name) => [name, `${message}@example.com`])),
    });
    const ask = (message) => session.text('test_elicitation', { message });
    const texts = await Promise.all(['ann', 'bob', 'cyd'].map(ask));
    ['ann', 'bob', 'cyd'].forEach((name, i) => assert.match(texts[i], new RegExp(`${name}@example.com`)));
  });

  it('asks the model', async (session) => {
    assert.equal(await session.text('test_sampling', { prompt: '6 × 7?' }), 'LLM response: forty-two');
  });

  it('sends log messages down to the level that was set', async (session) => {
    await session.client.setLoggingLevel('debug');
    await session.text('test_tool_with_logging', {});
    const expected = ['Tool execution started', 'Tool processing data', 'Tool execution completed'];
    assert.deepEqual(toolLogs(session), expected);
    await session.client.setLoggingLevel('error');
    await session.text('test_tool_with_logging', {});
    assert.deepEqual(toolLogs(session), expected, 'logged below the level that was set');
  });

  it('accepts and ends subscriptions', async ({ client }) => {
    assert.deepEqual(await client.subscribeResource({ uri: 'test://watched-resource' }), {});
    assert.deepEqual(await client.unsubscribeResource({ uri: 'test://watched-resource' }), {});
  });
}

const toolLogs = (session) =>
  session
    .notificationsOf('notifications/message')
    .map(({ params }) => params.data)
    .filter((data) => /^Tool/.test(data));
