// What holds for every stdio server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './session.mjs';

export function endsWithItsInput(connect) {
  test('ends when its input ends, even while a call runs', { timeout: 20_000 }, async () => {
    const session = await connect();
    const { pid } = session.transport;
    const call = session.call('slow_compute', { seconds: 25, label: 'left behind' });
    call.catch(() => {});
    await session.text('greet', { name: 'x' });
    // The SDK waits 2 s after closing the input before it sends a signal.
    session.close();
    await eventually(() => !isAlive(pid), 'the process is gone', 1_500);
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
