// What went wrong and was caught by nobody: exceptions of callbacks, rejections without a handler.
// The first of them is how the run fails.

interface Failure {
  error: unknown;
  promise: Promise<unknown> | undefined;
}

let failures: Failure[] = [];

// Lets scripts hear of it first; true: they took care of it.
type Announce = (error: unknown, promise: Promise<unknown> | undefined) => boolean;
let announce: Announce = () => false;
export function announceFailuresBy(given: Announce): void {
  announce = given;
}
let announceLater: (promise: Promise<unknown>, reason: unknown) => void = () => {};
export function announceHandledBy(given: typeof announceLater): void {
  announceLater = given;
}

export function resetFailures(): void {
  failures = [];
}

export function reportException(error: unknown): void {
  if (!announce(error, undefined)) failures[failures.length] = { error, promise: undefined };
}

export function unhandled(promise: Promise<unknown>, reason: unknown): void {
  failures[failures.length] = { error: reason, promise };
}

export function handledLater(promise: Promise<unknown>): void {
  const kept: Failure[] = [];
  for (let i = 0; i < failures.length; ++i) {
    if (failures[i]!.promise === promise) announceLater(promise, failures[i]!.error);
    else kept[kept.length] = failures[i]!;
  }
  failures = kept;
}

// The first failure that stays one, boxed since anything can be thrown. To be asked when all
// microtasks have run.
export function failure(): [unknown] | undefined {
  while (failures.length > 0) {
    const first = failures[0]!;
    if (first.promise === undefined) return [first.error];
    const { promise, error } = first;
    if (!announce(error, promise)) {
      failures[0] = { error, promise: undefined };
      return [error];
    }
    failures = failures.slice(1);
  }
  return undefined;
}
