// What went wrong and was caught by nobody: exceptions of callbacks, rejections without a handler.
// The first of them is how the run fails.

// A list of our own: to put something into an array may run what a script left on Array.prototype.
interface Failure {
  error: unknown;
  promise: Promise<unknown> | undefined;
  next: Failure | undefined;
}

let first: Failure | undefined;

// Lets scripts hear of it first; true: they took care of it.
type Announce = (error: unknown, promise: Promise<unknown> | undefined) => boolean;
let announce: Announce = () => false;
export function announceFailuresBy(given: Announce): void {
  announce = (error, promise) => {
    try {
      return given(error, promise);
    } catch {
      return false;
    }
  };
}
let announceLater: (promise: Promise<unknown>, reason: unknown) => void = () => {};
export function announceHandledBy(given: typeof announceLater): void {
  announceLater = given;
}

export function resetFailures(): void {
  first = undefined;
}

function add(error: unknown, promise: Promise<unknown> | undefined): void {
  const failure: Failure = { error, promise, next: undefined };
  if (first === undefined) {
    first = failure;
    return;
  }
  let last = first;
  while (last.next !== undefined) last = last.next;
  last.next = failure;
}

export function reportException(error: unknown): void {
  if (!announce(error, undefined)) add(error, undefined);
}

export function unhandled(promise: Promise<unknown>, reason: unknown): void {
  add(reason, promise);
}

export function handledLater(promise: Promise<unknown>): void {
  let before: Failure | undefined;
  for (let at = first; at !== undefined; at = at.next) {
    if (at.promise === promise) {
      if (before === undefined) first = at.next;
      else before.next = at.next;
      announceLater(promise, at.error);
      return;
    }
    before = at;
  }
}

// The first failure that stays one, boxed since anything can be thrown. To be asked when all
// microtasks have run.
export function failure(): [unknown] | undefined {
  while (first !== undefined) {
    const { error, promise } = first;
    if (promise === undefined) return [error];
    if (!announce(error, promise)) {
      first.promise = undefined;
      return [error];
    }
    first = first.next;
  }
  return undefined;
}
