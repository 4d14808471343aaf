// Turns of the event loop. Timers would do, but pages in the background have slow ones.

const queue: (() => void)[] = [];
let wake: (() => void) | undefined;

const runOne = (): void => queue.shift()?.();

function waker(): () => void {
  const { setImmediate } = globalThis as { setImmediate?: (task: () => void) => unknown };
  if (setImmediate !== undefined) return () => void setImmediate(runOne);
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = runOne;
  return () => port2.postMessage(null);
}

/** Runs it in a turn of its own, after those that were queued before: as browsers fire events. */
export function queueTask(task: () => void): void {
  queue.push(task);
  wake ??= waker();
  wake();
}

export const nextTurn = (): Promise<void> => new Promise(queueTask);

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
