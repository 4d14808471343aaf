// Answers can be lost without anybody saying so: a host's connection breaks, and its SDK waits on.

/** Gives up a call of which nothing is heard for too long. */
export class Silence {
  #controller = new AbortController();
  #ms: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(ms: number) {
    this.#ms = ms;
    this.broken();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  broken(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#controller.abort(), this.#ms);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
