// Whether frames come as progress of a call. A host may drop progress: the server says how many it
// sent, and what did not come is pulled. If the first ones did not come, none will.

type State = "off" | "trying" | "on";

// A host that drops progress costs this much, once.
const kTrialMs = 500;

export class PushMode {
  #state: State = "off";
  #pullsFirst = false;

  /** The server offers it; nothing changes once it was tried. */
  offer(isOffered: boolean): void {
    if (isOffered && this.#state === "off" && !this.#pullsFirst) this.#state = "trying";
  }

  get isWanted(): boolean {
    return this.#state !== "off" && !this.#pullsFirst;
  }

  waitMs(usual: number): number {
    return this.#state === "trying" ? kTrialMs : usual;
  }

  /** A call with push ended: so many frames came in it, and some may have been lost. */
  ended(arrived: number, isMissingSome: boolean): void {
    if (this.#state === "trying") {
      if (arrived > 0) this.#state = "on";
      else if (isMissingSome) this.#state = "off";
    }
    this.#pullsFirst = isMissingSome;
  }

  pulled(): void {
    if (this.#state === "on") this.#pullsFirst = false;
  }
}
