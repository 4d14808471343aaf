// What went wrong and was caught by nobody: exceptions of callbacks, rejections without a handler.
// The first of them is how the run fails.
import { whenSettled } from "../base/intrinsics.js";

// A list of our own: to put something into an array may run what a script left on Array.prototype.
interface Failure {
  error: unknown;
  promise: Promise<unknown> | undefined;
  isAnnounced: boolean;
  next: Failure | undefined;
}

let first: Failure | undefined;
let last: Failure | undefined;
// While an exception is made known to the host, as a rejection of ours.
let reporting = false;

// How scripts hear of failures, and can take care of them.
export interface Announcer {
  isHeard(isRejection: boolean): boolean;
  // True: the script took care of it.
  announce(error: unknown, promise: Promise<unknown> | undefined): boolean;
  announceHandled(promise: Promise<unknown>, reason: unknown): void;
  // Calls announceRejections in a task of its own.
  later(): void;
}
let announcer: Announcer | undefined;
export function announceFailuresBy(given: Announcer): void {
  announcer = given;
}

// A script that has broken what announcing needs does not hear of it.
function isTakenCareOf(error: unknown, promise: Promise<unknown> | undefined): boolean {
  try {
    return announcer!.isHeard(promise !== undefined) && announcer!.announce(error, promise);
  } catch {
    return false;
  }
}

export function resetFailures(): void {
  first = undefined;
  last = undefined;
}

function add(error: unknown, promise: Promise<unknown> | undefined, isAnnounced: boolean): void {
  const failure: Failure = { error, promise, isAnnounced, next: undefined };
  if (last === undefined) first = failure;
  else last.next = failure;
  last = failure;
}

function remove(failure: Failure): void {
  let before: Failure | undefined;
  for (let at = first; at !== undefined && at !== failure; at = at.next) before = at;
  if (before === undefined) first = failure.next;
  else before.next = failure.next;
  if (last === failure) last = before;
}

const NativePromise = Promise;

// An exception becomes a rejection that nobody handles: the host ends a run that has one.
export function reportException(error: unknown): void {
  if (isTakenCareOf(error, undefined)) return;
  reporting = true;
  void new NativePromise((_, reject) => reject(error));
  reporting = false;
}

export function unhandled(promise: Promise<unknown>, reason: unknown): void {
  add(reason, promise, reporting);
  if (!reporting && announcer!.isHeard(true)) announcer!.later();
}

export function handledLater(promise: Promise<unknown>): void {
  for (let at = first; at !== undefined; at = at.next) {
    if (at.promise !== promise) continue;
    remove(at);
    if (at.isAnnounced) announcer!.announceHandled(promise, at.error);
    return;
  }
}

// Tells the script of rejections that it does not know of yet. When all microtasks have run.
export function announceRejections(): void {
  for (let at = first; at !== undefined; at = at.next) {
    if (at.isAnnounced) continue;
    at.isAnnounced = true;
    if (!isTakenCareOf(at.error, at.promise)) continue;
    remove(at);
    // For the host it is handled from now on.
    void whenSettled(at.promise!, undefined, () => {});
  }
}

// The first failure that stays one, boxed since anything can be thrown. To be asked when all
// microtasks have run.
export function failure(): [unknown] | undefined {
  announceRejections();
  return first === undefined ? undefined : [first.error];
}
