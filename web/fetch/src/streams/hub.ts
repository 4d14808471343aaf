// All streams of a view, served by one call at a time (stream_pull). See docs/streams.md.
import { isWorthRetrying, McpFetchError } from "../base/errors.ts";
import type { Gateway } from "../calls/gateway.ts";
import type { Progress } from "../calls/tool-caller.ts";
import { type Frame, isFrame, isLast, type StreamFacts } from "./frames.ts";
import { Inbox, type StreamReader, Waiting } from "./inbox.ts";
import { PushMode } from "./push-mode.ts";
import { Silence } from "./silence.ts";
import { nextTurn, sleep } from "../base/tasks.ts";

const kFrameKey = "sallyport/frame";
const kWaitMs = 25_000;
const kMaxBytes = 1024 * 1024;
const kLeaseMs = 60_000; // a view that does not pull for so long has lost its streams
// Events that wait for a slow reader have a limit in servers and proxies.
const kPushCredit = 512 * 1024;
const kLateMs = 50; // by which progress may come after the answer of its call
const kFirstRetryMs = 100;
const kLongestRetryMs = 3_000;
const kRemembered = 256;

/** How long nothing may be heard of a call: beyond what it was asked to wait, or of one that pushes. */
export interface Patience {
  pullMs: number;
  pushMs: number;
}
const kPatience: Patience = { pullMs: 35_000, pushMs: 20_000 }; // a push has a beat every 15 s

interface PullAnswer {
  frames?: unknown;
  closed?: unknown;
  sent?: unknown;
}

/** What a reader does with its stream. */
export interface Subscription {
  /** Something that was held has been read. */
  consumed(): void;
  /** Nothing of it is wanted any more. */
  close(): void;
}

export class StreamHub {
  readonly view: string;
  /** Why there are no streams any more. */
  over: McpFetchError | undefined;
  #gateway: Gateway;
  #inboxes = new Map<string, Inbox>();
  #waiting = new Map<string, Inbox>();
  #finished = new Map<string, number>(); // last frames that the server must hear we have
  #forgotten = new Set<string>(); // closed by us: what still comes is nobody's
  #toClose = new Set<string>();
  #opening = 0;
  #isRunning = false;
  #interrupt: (() => void) | undefined;
  #push = new PushMode();
  #offersPush: () => boolean;

  #patience: Patience;

  constructor(
    gateway: Gateway,
    view: string,
    offersPush: () => boolean = () => false,
    patience: Patience = kPatience,
  ) {
    this.#patience = patience;
    this.#gateway = gateway;
    this.view = view;
    this.#offersPush = offersPush;
  }

  /** Runs a call that may open a stream: its frames can come before its answer does. */
  async opening<T>(call: Promise<T>): Promise<T> {
    this.#opening += 1;
    try {
      return await call;
    } finally {
      // The caller attaches to its stream in the turn after this one.
      void nextTurn().then(() => {
        this.#opening -= 1;
        if (this.#opening === 0) this.#closeOrphans();
      });
    }
  }

  attach({ id, window }: StreamFacts, reader: StreamReader): Subscription {
    const early = this.#waiting.get(id);
    const inbox = early ?? new Inbox(window, reader);
    this.#waiting.delete(id);
    this.#inboxes.set(id, inbox);
    if (early !== undefined) {
      const { frames } = early.reader as Waiting;
      early.reader = reader;
      early.window = window;
      for (const frame of frames) this.#deliver(inbox, frame);
      this.#interrupt?.();
    }
    if (this.over === undefined) {
      this.#run();
    } else {
      this.#close([id]);
      reader.lost(this.over);
    }
    return {
      consumed: () => this.#inboxes.get(id) === inbox && this.#announceIfWorth(inbox),
      close: () => this.#inboxes.get(id) === inbox && this.#close([id]),
    };
  }

  /** Ends everything, also what is just being opened: at the server, and for those who read. */
  async closeAll(reason: McpFetchError): Promise<void> {
    this.over = reason;
    if (this.#inboxes.size === 0 && this.#opening === 0) return;
    this.#loseAll(reason);
    await this.#gateway.call("stream_close", { view: this.view, all: true }).catch(() => {});
  }

  #deliver(inbox: Inbox, frame: Frame): void {
    inbox.reader.frame(frame);
    if (isLast(frame)) this.#finish(frame.id, inbox);
  }

  #finish(id: string, inbox: Inbox): void {
    this.#inboxes.delete(id);
    this.#finished.set(id, inbox.next);
  }

  #close(ids: string[]): void {
    for (const id of ids) {
      this.#inboxes.delete(id);
      this.#waiting.delete(id);
      this.#forget(id);
      this.#toClose.add(id);
    }
    // Many streams that end in one turn, such as those of one AbortController, need one call.
    if (this.#toClose.size > ids.length) return;
    queueMicrotask(() => {
      const all = [...this.#toClose];
      this.#toClose.clear();
      // Where the server does not hear of it, what still comes says so, and is closed again.
      this.#gateway.call("stream_close", { view: this.view, ids: all }).catch(() => {
        for (const id of all) this.#forgotten.delete(id);
        if (this.over === undefined) this.#run();
      });
    });
  }

  #forget(id: string): void {
    this.#forgotten.add(id);
    if (this.#forgotten.size <= kRemembered) return;
    const [oldest] = this.#forgotten;
    this.#forgotten.delete(oldest!);
  }

  #closeOrphans(): void {
    if (this.#waiting.size > 0) this.#close([...this.#waiting.keys()]);
  }

  #announceIfWorth(inbox: Inbox): void {
    if (inbox.isWorthAnnouncing) this.#interrupt?.();
  }

  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    void this.#pullWhileNeeded();
  }

  async #pullWhileNeeded(): Promise<void> {
    let failingSince = 0;
    let retryMs = kFirstRetryMs;
    // Set down in the same turn in which the loop ends, or a new stream would wait for it in vain.
    for (; this.#isRunning; this.#isRunning = this.#inboxes.size + this.#finished.size > 0) {
      try {
        await this.#pullOrBeInterrupted();
        failingSince = 0;
        retryMs = kFirstRetryMs;
        // Readers take what came in this turn; only then it is known how much more they can take.
        await nextTurn();
      } catch (error) {
        failingSince ||= Date.now();
        if (!isWorthRetrying(error) || Date.now() - failingSince > kLeaseMs) {
          this.#loseAll(error as McpFetchError);
          continue;
        }
        await sleep(retryMs);
        retryMs = Math.min(retryMs * 2, kLongestRetryMs);
      }
    }
  }

  // A second call ends the first one at the server; what that one brings is taken all the same.
  #pullOrBeInterrupted(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#interrupt = resolve;
      this.#pull().then(resolve, reject);
    });
  }

  async #pull(): Promise<void> {
    this.#push.offer(this.#offersPush());
    // A push ends at once where nobody has room for anything; a pull waits until somebody has.
    const isPush =
      this.#push.isWanted && [...this.#inboxes.values()].some((inbox) => inbox.credit > 0);
    const acks: Record<string, number> = Object.fromEntries(this.#finished);
    const credit: Record<string, number> = {};
    const finished = [...this.#finished];
    for (const [id, inbox] of this.#waiting) {
      acks[id] = inbox.next;
      credit[id] = 0; // until somebody reads it
    }
    for (const [id, inbox] of this.#inboxes) {
      acks[id] = inbox.next;
      credit[id] = inbox.announce(isPush ? kPushCredit : Infinity);
    }
    const asked = [...this.#inboxes.keys()];
    const started = Date.now();
    let arrived = 0;
    const silence = new Silence(
      isPush ? this.#push.silenceMs(this.#patience.pushMs) : this.#patience.pullMs,
    );
    const onProgress = ({ _meta }: Progress): void => {
      silence.broken();
      const frame = _meta?.[kFrameKey];
      if (!isFrame(frame)) return;
      if (this.#accept(frame)) arrived += 1;
      const inbox = this.#inboxes.get(frame.id);
      if (inbox !== undefined) void nextTurn().then(() => this.#announceIfWorth(inbox));
    };
    const call = this.#gateway.call(
      "stream_pull",
      {
        view: this.view,
        acks,
        credit,
        waitMs: isPush ? this.#push.waitMs(kWaitMs) : kWaitMs,
        maxBytes: kMaxBytes,
        push: isPush,
      },
      isPush ? { onProgress, signal: silence.signal } : { signal: silence.signal },
    );
    const answer: PullAnswer = await call
      .catch((error: unknown) => {
        if (isPush) this.#push.failed();
        throw error;
      })
      .finally(() => silence.end());
    for (const [id, next] of finished)
      if (this.#finished.get(id) === next) this.#finished.delete(id);
    const came = Array.isArray(answer.frames) ? answer.frames.filter(isFrame) : [];
    const accepted = came.filter((frame) => this.#accept(frame)).length;
    if (isPush) {
      await nextTurn(); // progress is dispatched in turns of its own
      if (this.#isMissingSome(answer.sent)) await sleep(kLateMs);
      const isMissingSome = this.#isMissingSome(answer.sent);
      this.#push.ended(arrived, isMissingSome);
      // Another call may be under way since, which will not bring them.
      if (isMissingSome) this.#interrupt?.();
    } else {
      this.#push.pulled();
    }
    this.#loseClosed(answer.closed, asked);
    // A server that answers at once and has nothing to say is not asked in a hurry.
    const isQuick = Date.now() - started < kFirstRetryMs;
    const saysSomething =
      accepted + arrived + finished.length > 0 || this.#inboxes.size < asked.length;
    if (isQuick && !saysSomething) await sleep(kFirstRetryMs);
  }

  /** Whether it was new. */
  #accept(frame: Frame): boolean {
    const { id } = frame;
    const inbox = this.#inboxes.get(id) ?? this.#waiting.get(id) ?? this.#strange(id);
    if (inbox === undefined || !inbox.accept(frame)) return false;
    if (isLast(frame) && this.#inboxes.has(id)) this.#finish(id, inbox);
    return true;
  }

  #strange(id: string): Inbox | undefined {
    if (this.#finished.has(id)) return undefined;
    if (this.#opening === 0 || this.#forgotten.has(id)) {
      // The call that opened it was given up.
      if (!this.#forgotten.has(id)) this.#close([id]);
      return undefined;
    }
    const inbox = new Inbox(0, new Waiting());
    this.#waiting.set(id, inbox);
    return inbox;
  }

  #isMissingSome(sent: unknown): boolean {
    return Object.entries((sent ?? {}) as Record<string, unknown>).some(([id, next]) => {
      const inbox = this.#inboxes.get(id);
      return inbox !== undefined && inbox.next < Number(next);
    });
  }

  #loseClosed(closed: unknown, asked: string[]): void {
    if (!Array.isArray(closed)) return;
    for (const id of asked) {
      if (!closed.includes(id)) continue;
      const inbox = this.#inboxes.get(id);
      this.#inboxes.delete(id);
      inbox?.reader.lost(new McpFetchError("lost", "The server no longer has this stream."));
    }
  }

  #loseAll(reason: McpFetchError): void {
    const readers = [...this.#inboxes.values()].map((inbox) => inbox.reader);
    this.#inboxes.clear();
    this.#waiting.clear();
    this.#finished.clear();
    this.#interrupt?.();
    for (const reader of readers) reader.lost(reason);
  }
}
