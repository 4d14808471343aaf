// One alarm of the host serves all timers: a heap of them is kept here.
import { now, wake } from "../base/host.js";
import { apply, max, trunc } from "../base/intrinsics.js";
import { defineGlobal, needArguments } from "../base/webidl.js";
import { reportException } from "./failures.js";

interface Timer {
  id: number;
  at: number;
  order: number;
  callback: Function;
  args: unknown[];
  every: number | undefined;
  keepsRunAlive: boolean;
  place: number; // in the heap; -1: not there
}

const kLongestDelay = 2 ** 31 - 1;

let heap: Timer[] = [];
let byId = new Map<number, Timer>();
let lastId = 0;
let lastOrder = 0;
let alarm: number | undefined;
let living = 0;

const isBefore = (a: Timer, b: Timer): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order);

function put(place: number, timer: Timer): void {
  heap[place] = timer;
  timer.place = place;
}

function rise(timer: Timer): void {
  let place = timer.place;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    if (!isBefore(timer, heap[parent]!)) break;
    put(place, heap[parent]!);
    place = parent;
  }
  put(place, timer);
}

function sink(timer: Timer): void {
  let place = timer.place;
  for (;;) {
    let child = 2 * place + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) ++child;
    if (!isBefore(heap[child]!, timer)) break;
    put(place, heap[child]!);
    place = child;
  }
  put(place, timer);
}

function insert(timer: Timer): void {
  timer.order = ++lastOrder;
  put(heap.length, timer);
  rise(timer);
  if (timer.keepsRunAlive) ++living;
}

function takeOut(timer: Timer): void {
  if (timer.place < 0) return;
  if (timer.keepsRunAlive) --living;
  const last = heap[heap.length - 1]!;
  heap.length -= 1;
  if (last !== timer) {
    put(timer.place, last);
    rise(last);
    sink(last);
  }
  timer.place = -1;
}

function setAlarm(): void {
  const at = heap.length === 0 ? undefined : heap[0]!.at;
  if (at === alarm) return;
  alarm = at;
  wake(at);
}

export interface TimerOptions {
  args?: unknown[];
  repeat?: boolean;
  keepsRunAlive?: boolean;
}

export function addTimer(callback: Function, delay: number, options: TimerOptions = {}): number {
  const timer: Timer = {
    id: ++lastId,
    at: now() + delay,
    order: 0,
    callback,
    args: options.args ?? [],
    // A repeated timer of 0 ms would leave no time for anything else.
    every: options.repeat ? max(1, delay) : undefined,
    keepsRunAlive: options.keepsRunAlive ?? true,
    place: -1,
  };
  byId.set(timer.id, timer);
  insert(timer);
  setAlarm();
  return timer.id;
}

export function removeTimer(id: number): void {
  const timer = byId.get(id);
  if (timer === undefined) return;
  byId.delete(id);
  takeOut(timer);
  setAlarm();
}

export function removeAllTimers(): void {
  heap = [];
  byId = new Map();
  living = 0;
  setAlarm();
}

export const timersAreBusy = (): boolean => living > 0;

// Runs one timer: microtasks have to run before the next. The alarm is set again for that one.
export function onWake(): void {
  alarm = undefined;
  const timer = heap[0];
  if (timer !== undefined && timer.at <= now()) {
    takeOut(timer);
    if (timer.every === undefined) byId.delete(timer.id);
    try {
      apply(timer.callback, globalThis, timer.args);
    } catch (error) {
      reportException(error);
    }
    if (timer.every !== undefined && byId.get(timer.id) === timer) {
      timer.at = max(now(), timer.at + timer.every);
      insert(timer);
    }
  }
  setAlarm();
}

function toDelay(value: unknown): number {
  const delay = trunc(Number(value));
  return delay >= 0 && delay <= kLongestDelay ? delay : 0;
}

function toCallback(value: unknown, where: string): Function {
  if (typeof value !== "function") {
    throw new TypeError(`${where} needs a function; text is not evaluated as code here`);
  }
  return value;
}

function setTimeout(callback: unknown, delay: unknown = 0, ...args: unknown[]): number {
  needArguments(arguments.length, 1, "setTimeout");
  return addTimer(toCallback(callback, "setTimeout"), toDelay(delay), { args });
}
function setInterval(callback: unknown, delay: unknown = 0, ...args: unknown[]): number {
  needArguments(arguments.length, 1, "setInterval");
  return addTimer(toCallback(callback, "setInterval"), toDelay(delay), { args, repeat: true });
}
function setImmediate(callback: unknown, ...args: unknown[]): number {
  needArguments(arguments.length, 1, "setImmediate");
  return addTimer(toCallback(callback, "setImmediate"), 0, { args });
}
function clearTimeout(id: unknown = 0): void {
  removeTimer(Number(id) | 0);
}
function clearInterval(id: unknown = 0): void {
  removeTimer(Number(id) | 0);
}
function clearImmediate(id: unknown = 0): void {
  removeTimer(Number(id) | 0);
}

export function installTimers(): void {
  const functions = {
    setTimeout,
    setInterval,
    setImmediate,
    clearTimeout,
    clearInterval,
    clearImmediate,
  };
  for (const [name, value] of Object.entries(functions)) defineGlobal(name, value, true);
}
