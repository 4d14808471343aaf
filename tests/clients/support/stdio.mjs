// What holds for every stdio server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from './session.mjs';

export function endsWithItsInput(connect) {
  test('ends when its input ends', { timeout: 40_000 }, async () => {
    const session = await connect();
    const { pid } = session.transport;
    await session.text('greet', { name: 'x' });
    endInput(session);
    await eventually(() => !isAlive(pid), 'the process is gone');
    await session.close();
  });

  test('finishes what runs when its input ends, but not for long', { timeout: 40_000 }, async () => {
    const session = await connect();
    const { pid } = session.transport;
    session.call('slow_compute', { seconds: 25, label: 'left behind' }).catch(() => {});
    await session.text('greet', { name: 'x' });
    endInput(session);
    process.kill(pid, 'SIGTERM');
    await eventually(() => !isAlive(pid), 'the process is gone after SIGTERM');
    await session.close();
  });

  test('writes nothing but messages', { timeout: 20_000 }, async () => {
    const session = await connect();
    await session.call('test_error_handling', {});
    await session.call('test_tool_with_logging', {});
    assert.deepEqual(session.errors, []);
    await session.close();
  });
}

// Only that: the SDK, when it closes, sends signals two and four seconds later.
function endInput({ transport }) {
  transport._process.stdin.end();
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
