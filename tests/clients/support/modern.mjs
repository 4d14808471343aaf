// What 2026-07-28 has and the legacy revisions have not: results that ask for input, log levels per
// request, and subscriptions as requests.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { check } from './behaviours.mjs';
import { eventually } from './session.mjs';

const kLogLevel = 'io.modelcontextprotocol/logLevel';

export function behavesLikeAModernServer(connect) {
  const it = check(connect);

  it('discovers', async ({ client }) => {
    const found = await client.discover();
    assert.ok(found.supportedVersions.includes('2026-07-28'));
    assert.ok(found.capabilities.tools);
  });

  asksForInput(it);
  listens(it);

  it('sends log messages only to requests that ask for them', async (session) => {
    await session.call('test_tool_with_logging', {});
    assert.equal(session.notificationsOf('notifications/message').length, 0);
    await session.call('test_tool_with_logging', {}, { meta: { [kLogLevel]: 'error' } });
    assert.equal(session.notificationsOf('notifications/message').length, 0);
    await session.call('test_tool_with_logging', {}, { meta: { [kLogLevel]: 'info' } });
    const logs = session.notificationsOf('notifications/message').map(({ params }) => params.data);
    assert.deepEqual(logs, ['Tool execution started', 'Tool processing data', 'Tool execution completed']);
  });
}

function asksForInput(it) {
  it('asks the user', async (session) => {
    session.answer = () => ({ action: 'accept', content: { name: 'Ada' } });
    assert.equal(await session.text('test_input_required_result_elicitation', {}), 'Hello, Ada!');
    assert.equal(session.elicitations.length, 1);
  });

  it('asks in several rounds, with state', async (session) => {
    await session.text('test_input_required_result_multi_round', {});
    assert.equal(session.elicitations.length, 2);
    assert.match(await session.text('test_input_required_result_request_state', {}), /state-ok/);
  });

  it('asks while rendering a prompt', async (session) => {
    session.answer = () => ({ action: 'accept', content: { context: 'a rainy day' } });
    const { messages } = await session.client.getPrompt({ name: 'test_input_required_result_prompt' });
    assert.match(JSON.stringify(messages), /a rainy day/);
  });

  it('asks the model', async (session) => {
    await session.text('test_input_required_result_sampling', {});
    assert.equal(session.samplings, 1);
  });
}

function listens(it) {
  const kTools = 'notifications/tools/list_changed';
  const kPrompts = 'notifications/prompts/list_changed';

  it('tells listeners what they asked for, and nothing else', async (session) => {
    const subscription = await session.client.listen({ toolsListChanged: true });
    assert.deepEqual(subscription.honoredFilter, { toolsListChanged: true });
    await session.call('test_trigger_prompt_change', {});
    await session.call('test_trigger_tool_change', {});
    await eventually(() => session.notificationsOf(kTools).length === 1, 'a change of the tools is told');
    assert.equal(session.notificationsOf(kPrompts).length, 0);
    await subscription.close();
    assert.equal(await subscription.closed, 'local');
    await session.call('test_trigger_tool_change', {});
    await sleep(200);
    assert.equal(session.notificationsOf(kTools).length, 1, 'told after the subscription was closed');
  });

  it('serves several listeners at once', async (session) => {
    await session.client.listen({ toolsListChanged: true });
    await session.client.listen({ promptsListChanged: true });
    await session.call('test_trigger_prompt_change', {});
    await session.call('test_trigger_tool_change', {});
    const isTold = () => session.notificationsOf(kTools).length === 1 && session.notificationsOf(kPrompts).length === 1;
    await eventually(isTold, 'both are told once');
  });
}
