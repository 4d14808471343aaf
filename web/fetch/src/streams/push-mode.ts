// Whether frames come as progress of a call. A host may drop progress: the server says how many it
// sent, and what did not come is pulled. If the first ones did not come, none will.

type State = "off" | "trying" | "on";

// A host that drops progress costs this much, once.
const kTrialMs = 500;
const kTrialSilenceMs = 5_000;
const kMostFailures = 2;

export class PushMode {
  #state: State = "off";
  #isTried = false;
  #pullsFirst = false;
  #failures = 0;

  /** The server offers it; nothing changes once it was tried. */
  offer(isOffered: boolean): void {
    if (!isOffered || this.#isTried) return;
    this.#isTried = true;
    this.#state = "trying";
  }

  get isWanted(): boolean {
    return this.#state !== "off" && !this.#pullsFirst;
  }

  waitMs(usual: number): number {
    return this.#state === "trying" ? kTrialMs : usual;
  }

  silenceMs(usual: number): number {
    return this.#state === "trying" ? Math.min(kTrialSilenceMs, usual) : usual;
  }

  /** A call with push ended: so many frames came in it, and some may have been lost. */
  ended(arrived: number, isMissingSome: boolean): void {
    if (this.#state === "trying") {
      if (arrived > 0) this.#state = "on";
      else if (isMissingSome) this.#state = "off";
    }
    if (arrived > 0) this.#failures = 0;
    this.#pullsFirst = isMissingSome;
  }

  /** A call with push was lost: a pull follows, and soon nothing else. */
  failed(): void {
    this.#failures += 1;
    this.#pullsFirst = true;
    if (this.#state === "trying" || this.#failures >= kMostFailures) this.#state = "off";
  }

  pulled(): void {
    this.#pullsFirst = false;
  }
}
