// The lines of text/event-stream, from chunks of bytes to events.
import { TextDecoder } from "../text/encoding.js";

export interface StreamEvent {
  type: string;
  data: string;
  id: string;
}

// What a line may have before we give up: no memory without bounds.
const kLongest = 16 * 1024 * 1024;

export class EventStreamParser {
  readonly #onEvent: (event: StreamEvent) => void;
  readonly #onRetry: (milliseconds: number) => void;
  readonly #decoder = new TextDecoder();
  #rest = "";
  #skipLineFeed = false;
  #data: string[] = [];
  #dataLength = 0;
  #type = "";
  lastId: string;

  constructor(
    lastId: string,
    onEvent: (event: StreamEvent) => void,
    onRetry: (milliseconds: number) => void,
  ) {
    this.lastId = lastId;
    this.#onEvent = onEvent;
    this.#onRetry = onRetry;
  }

  push(bytes: Uint8Array): void {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === "") return;
    if (this.#skipLineFeed && text[0] === "\n") text = text.slice(1);
    this.#skipLineFeed = false;
    text = this.#rest + text;
    const ends = /\r\n?|\n/g;
    let begin = 0;
    for (let end = ends.exec(text); end !== null; end = ends.exec(text)) {
      // A carriage return at the end of a chunk may be half of a line end.
      if (end[0] === "\r" && ends.lastIndex === text.length) this.#skipLineFeed = true;
      this.#line(text.slice(begin, end.index));
      begin = ends.lastIndex;
    }
    this.#rest = text.slice(begin);
    if (this.#rest.length + this.#dataLength > kLongest)
      throw new RangeError("An event of the stream is too long");
  }

  #line(line: string): void {
    if (line === "") {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return;
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value[0] === " ") value = value.slice(1);
    if (field === "event") this.#type = value;
    else if (field === "data") {
      this.#data.push(value);
      this.#dataLength += value.length + 1;
    } else if (field === "id") {
      if (!value.includes("\0")) this.lastId = value;
    } else if (field === "retry" && /^[0-9]+$/.test(value)) this.#onRetry(Number(value));
  }

  #dispatch(): void {
    const event = { type: this.#type || "message", data: this.#data.join("\n"), id: this.lastId };
    const isEmpty = this.#data.length === 0;
    this.#data = [];
    this.#dataLength = 0;
    this.#type = "";
    if (!isEmpty) this.#onEvent(event);
  }
}
