// How much memory is held while something runs: by a program, and by the frames of an app.
import { readFileSync } from "node:fs";
import type { CDPSession, Frame, Page } from "playwright-core";

const kEveryMs = 300;

/** What a process has in memory, in bytes. */
export function residentBytes(pid: number): number {
  const found = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  if (found === null) throw new Error(`Process ${pid} has no memory.`);
  return Number(found[1]) * 1024;
}

/**
 * What the scripts of a page and its frames hold, garbage left out: objects, texts, and the bytes of
 * their arrays. What the browser holds for them is not seen.
 */
export class HeapGauge {
  #sessions: CDPSession[];

  private constructor(sessions: CDPSession[]) {
    this.#sessions = sessions;
  }

  static async of(page: Page): Promise<HeapGauge> {
    const context = page.context();
    // Frames of one site share a process, and a heap: those have no session of their own.
    const open = (frame: Frame): Promise<CDPSession | undefined> =>
      context.newCDPSession(frame).catch(() => undefined);
    const [, ...frames] = page.frames();
    const sessions = [await context.newCDPSession(page), ...(await Promise.all(frames.map(open)))];
    return new HeapGauge(sessions.filter((each) => each !== undefined));
  }

  /** How many heaps there are. */
  get count(): number {
    return this.#sessions.length;
  }

  async heldBytes(): Promise<number> {
    let sum = 0;
    for (const session of this.#sessions) {
      await session.send("HeapProfiler.collectGarbage");
      const { usedSize, backingStorageSize = 0 } = (await session.send(
        "Runtime.getHeapUsage",
      )) as unknown as { usedSize: number; backingStorageSize?: number };
      sum += usedSize + backingStorageSize;
    }
    return sum;
  }

  async close(): Promise<void> {
    await Promise.all(this.#sessions.map((each) => each.detach()));
  }
}

/** The most that was seen until the work was done. */
export async function mostDuring(
  work: Promise<unknown>,
  sample: () => Promise<number>,
): Promise<number> {
  let isDone = false;
  const done = work.finally(() => (isDone = true));
  done.catch(() => {});
  let most = 0;
  while (!isDone) {
    most = Math.max(most, await sample());
    await Promise.race([
      done.catch(() => {}),
      new Promise((resolve) => setTimeout(resolve, kEveryMs)),
    ]);
  }
  return most;
}
