// https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

export interface ParsedEvent {
  event: string;
  data: string;
  lastEventId: string;
}

export class EventParser {
  #decoder = new TextDecoder();
  #rest = "";
  #isAfterCr = false;
  #event = "";
  #data: string[] = [];
  #id: string;
  #lastEventId: string;
  #onEvent: (event: ParsedEvent) => void;
  #onRetry: (ms: number) => void;

  constructor(
    lastEventId: string,
    onEvent: (event: ParsedEvent) => void,
    onRetry: (ms: number) => void,
  ) {
    this.#id = this.#lastEventId = lastEventId;
    this.#onEvent = onEvent;
    this.#onRetry = onRetry;
  }

  write(bytes: Uint8Array): void {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (this.#isAfterCr && text.startsWith("\n")) text = text.slice(1);
    if (text === "") return;
    this.#isAfterCr = text.endsWith("\r");
    const lines = (this.#rest + text).split(/\r\n|\r|\n/);
    this.#rest = lines.pop()!;
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    if (line === "") return this.#dispatch();
    const [, name, value = ""] = /^([^:]*)(?::\x20?([\s\S]*))?$/.exec(line)!;
    if (name === "event") this.#event = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id" && !value.includes("\0")) this.#id = value;
    else if (name === "retry" && /^\d+$/.test(value)) this.#onRetry(Number(value));
  }

  #dispatch(): void {
    this.#lastEventId = this.#id;
    const data = this.#data.splice(0);
    const event = this.#event || "message";
    this.#event = "";
    if (data.length === 0) return;
    this.#onEvent({ event, data: data.join("\n"), lastEventId: this.#lastEventId });
  }
}
