import { defineConstants, expose, needArguments, toDictionary, toUsvText } from "../base/webidl.js";
import { AbortController } from "../events/abort.js";
import { ErrorEvent, MessageEvent } from "../events/event-kinds.js";
import { Event } from "../events/event.js";
import { EventTarget, defineHandler, fire } from "../events/event-target.js";
import { perform } from "../fetch/fetch.js";
import { extractMimeType } from "../fetch/mime-type.js";
import { Request } from "../fetch/request.js";
import { type Response } from "../fetch/response.js";
import { needApi } from "../run/calls.js";
import { addTimer, removeTimer } from "../run/timers.js";
import { toUtf8 } from "../text/encoding.js";
import { latin1Of } from "../text/base64.js";
import { parseUrl, syntaxError } from "../text/url.js";
import { EventStreamParser } from "./event-stream.js";

const kState = { CONNECTING: 0, OPEN: 1, CLOSED: 2 };
const kFirstRetry = 3000;

// Refused before it was sent: asking again would be refused again.
const kRefusals = ["policy_denied", "egress_blocked", "invalid_input"];
const isFutile = (error: unknown): boolean => {
  const cause = (error as { cause?: { code?: unknown } }).cause;
  return kRefusals.includes(cause?.code as string);
};

export class EventSource extends EventTarget {
  readonly #url: string;
  readonly #withCredentials: boolean;
  #state = kState.CONNECTING;
  #lastEventId = "";
  #retry = kFirstRetry;
  #timer: number | undefined;
  #abort = new AbortController();

  constructor(url: unknown, init: unknown = {}) {
    needArguments(arguments.length, 1, "new EventSource");
    needApi("fetch");
    super();
    const parsed = parseUrl(toUsvText(url));
    this.#withCredentials = Boolean(
      toDictionary(init, "The init of an EventSource")["withCredentials"],
    );
    if (parsed === undefined)
      throw syntaxError(`'${toUsvText(url)}' is not a valid URL of an EventSource`);
    this.#url = parsed.href;
    void this.#connect();
  }

  get url(): string {
    return this.#url;
  }
  get withCredentials(): boolean {
    return this.#withCredentials;
  }
  get readyState(): number {
    return this.#state;
  }
  close(): void {
    this.#state = kState.CLOSED;
    if (this.#timer !== undefined) removeTimer(this.#timer);
    this.#abort.abort();
  }

  async #connect(): Promise<void> {
    this.#abort = new AbortController();
    const headers: [string, string][] = [
      ["Accept", "text/event-stream"],
      ["Cache-Control", "no-cache"],
    ];
    if (this.#lastEventId !== "")
      headers.push(["Last-Event-ID", latin1Of(toUtf8(this.#lastEventId))]);
    let response: Response;
    try {
      response = await perform(
        new Request(this.#url, { headers, cache: "no-store", signal: this.#abort.signal }),
      );
    } catch (error) {
      if (isFutile(error)) this.#fail((error as Error).message);
      else this.#reconnect((error as Error).message, error);
      return;
    }
    if (this.#isClosed()) return;
    const problem = this.#problemOf(response);
    if (problem !== undefined) {
      void response.body?.cancel().catch(() => {});
      this.#fail(problem);
      return;
    }
    await this.#read(response);
  }

  #isClosed(): boolean {
    return this.#state === kState.CLOSED;
  }

  #problemOf(response: Response): string | undefined {
    if (response.status !== 200) return `the answer has status ${response.status}`;
    const type = extractMimeType(response.headers.get("content-type"))?.essence;
    return type === "text/event-stream"
      ? undefined
      : `the answer is ${type ?? "of no type"}, not text/event-stream`;
  }

  async #read(response: Response): Promise<void> {
    this.#state = kState.OPEN;
    fire(this, new Event("open"));
    const origin = parseUrl(response.url)?.origin ?? "";
    const parser = new EventStreamParser(
      this.#lastEventId,
      ({ type, data, id }) => {
        this.#lastEventId = id;
        if (!this.#isClosed())
          fire(this, new MessageEvent(type, { data, origin, lastEventId: id }));
      },
      (milliseconds) => {
        this.#retry = milliseconds;
      },
    );
    let reason: unknown = new Error("the stream has ended");
    try {
      const reader = response.body?.getReader();
      for (;;) {
        const step = await reader?.read();
        if (step === undefined || step.done || this.#isClosed()) break;
        parser.push(step.value as Uint8Array);
      }
    } catch (error) {
      reason = error;
    }
    // Also an id without data counts, once its event has been complete.
    this.#reconnect((reason as Error)?.message ?? "", reason);
  }

  #reconnect(message: string, error: unknown): void {
    if (this.#isClosed()) return;
    this.#state = kState.CONNECTING;
    this.#timer = addTimer(() => void this.#connect(), this.#retry);
    fire(this, new ErrorEvent("error", { message, error }));
  }

  #fail(message: string): void {
    this.#state = kState.CLOSED;
    fire(this, new ErrorEvent("error", { message, error: new Error(message) }));
  }
}
for (const type of ["open", "message", "error"]) defineHandler(EventSource.prototype, type);
defineConstants(EventSource, kState);
expose(EventSource, "EventSource");
