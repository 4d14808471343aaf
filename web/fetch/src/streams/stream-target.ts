// What a WebSocket and an EventSource have in common: frames that become events, each in a turn of its own.
import type { McpFetchError } from "../base/errors.ts";
import { queueTask } from "../base/tasks.ts";
import { type Frame, sizeOf, type StreamFacts } from "./frames.ts";
import type { StreamHub, Subscription } from "./hub.ts";

export abstract class StreamTarget extends EventTarget {
  #subscription: Subscription | undefined;
  // Frames of a stream that was left say nothing any more.
  #generation = 0;

  protected abstract take(frame: Frame): void;
  protected abstract lost(error: McpFetchError): void;

  protected readFrom(hub: StreamHub, facts: StreamFacts): void {
    const generation = ++this.#generation;
    const ifStill = (task: () => void): void =>
      queueTask(() => {
        if (generation === this.#generation) task();
      });
    let held = 0;
    const subscription = hub.attach(facts, {
      frame: (frame) => {
        const size = sizeOf(frame);
        held += size;
        queueTask(() => {
          held -= size;
          subscription?.consumed();
        });
        ifStill(() => this.take(frame));
      },
      lost: (error) => ifStill(() => this.lost(error)),
      held: () => held,
    });
    this.#subscription = subscription;
  }

  protected leave(): void {
    this.#generation += 1;
    this.#subscription?.close();
    this.#subscription = undefined;
  }
}
