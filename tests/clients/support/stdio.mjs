// What holds for every stdio server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './session.mjs';

export function endsWithItsInput(connect) {
  // The SDK closes the input, and sends SIGTERM 2 s later.
  test('ends when its input ends', { timeout: 20_000 }, async () => {
    const session = await connect();
    const { pid } = session.transport;
    await session.text('greet', { name: 'x' });
    session.close();
    await eventually(() => !isAlive(pid), 'the process is gone', 1_500);
  });

  test('finishes what runs when its input ends, but not for long', { timeout: 20_000 }, async () => {
    const session = await connect();
    const { pid } = session.transport;
    session.call('slow_compute', { seconds: 25, label: 'left behind' }).catch(() => {});
    await session.text('greet', { name: 'x' });
    session.close();
    await eventually(() => !isAlive(pid), 'the process is gone after SIGTERM', 3_500);
  });

  test('writes nothing but messages', { timeout: 20_000 }, async () => {
    const session = await connect();
    await session.call('test_error_handling', {});
    await session.call('test_tool_with_logging', {});
    assert.deepEqual(session.errors, []);
    await session.close();
  });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
