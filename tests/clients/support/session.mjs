// What the two generations of the TypeScript SDK have in common, so that one set of behaviours can be
// checked through both. A session is one connected client that writes down everything it is told.
import assert from 'node:assert/strict';

export class Session {
  /** Everything that came in after the handshake, in order. */
  messages = [];
  errors = [];
  elicitations = [];
  samplings = 0;
  /** What the "user" answers to an elicitation; tests replace it. */
  answer = acceptEverything;

  constructor(client, transport) {
    this.client = client;
    this.transport = transport;
    client.onerror = (error) => this.errors.push(error);
  }

  // Below the SDK, which drops answers to calls it has given up, and progress that arrives in one
  // piece with the answer.
  tapMessages() {
    const deliver = this.transport.onmessage;
    this.transport.onmessage = (message, extra) => {
      this.messages.push(message);
      deliver(message, extra);
    };
  }

  answerSampling() {
    this.samplings += 1;
    return { role: 'assistant', model: 'none', content: { type: 'text', text: 'forty-two' } };
  }

  /** Some servers ask by themselves, whatever was called. */
  answerRoots() {
    return { roots: [] };
  }

  get responses() {
    return this.messages.filter((message) => 'result' in message || 'error' in message);
  }

  answerElicitation(params) {
    this.elicitations.push(params);
    return this.answer(params);
  }

  notificationsOf(method) {
    return this.messages.filter((message) => message.method === method);
  }

  async text(name, args, options) {
    const result = await this.call(name, args, options);
    assert.notEqual(result.isError, true, `${name} failed: ${JSON.stringify(result)}`);
    assert.equal(result.content[0].type, 'text');
    return result.content[0].text;
  }

  async close() {
    await this.client.close();
  }
}

/** Accepts, with a value of the right type for every property that was asked for. */
export function acceptEverything({ requestedSchema }) {
  const entries = Object.entries(requestedSchema?.properties ?? {});
  return { action: 'accept', content: Object.fromEntries(entries.map(([name, schema]) => [name, valueFor(name, schema)])) };
}

function valueFor(name, schema) {
  if (schema.type === 'boolean') return true;
  if (schema.type === 'number' || schema.type === 'integer') return 7;
  if (schema.type === 'array') return [schema.items.enum?.[0] ?? schema.items.anyOf[0].const];
  if (schema.enum) return schema.enum[0];
  if (schema.oneOf) return schema.oneOf[0].const;
  if (schema.format === 'email' || name === 'email') return 'alice@example.com';
  if (schema.format === 'uri') return 'https://example.com/';
  if (schema.format === 'date') return '2026-07-28';
  return `Alice-${name}`;
}

/** Waits until `condition` holds; fails with `what` when it does not in time, also on a busy machine. */
export async function eventually(condition, what, timeoutMs = 20_000) {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) assert.fail(`not in ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
