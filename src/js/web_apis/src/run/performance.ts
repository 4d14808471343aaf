import { now } from "../base/host.js";
import {
  defineGlobal,
  expose,
  kInternal,
  needArguments,
  refuseScripts,
  toDictionary,
  toText,
} from "../base/webidl.js";
import { DOMException } from "../base/dom-exception.js";
import { EventTarget } from "../events/event-target.js";
import { structuredClone } from "./structured-clone.js";
import { originTime, wallOriginTime } from "./clock.js";

const kMostEntries = 10_000;

export class PerformanceEntry {
  readonly #name: string;
  readonly #type: string;
  readonly #start: number;
  readonly #duration: number;

  constructor(token: unknown = undefined, name = "", type = "", start = 0, duration = 0) {
    refuseScripts(token);
    this.#name = name;
    this.#type = type;
    this.#start = start;
    this.#duration = duration;
  }
  get name(): string {
    return this.#name;
  }
  get entryType(): string {
    return this.#type;
  }
  get startTime(): number {
    return this.#start;
  }
  get duration(): number {
    return this.#duration;
  }
  toJSON(): object {
    return {
      name: this.#name,
      entryType: this.#type,
      startTime: this.#start,
      duration: this.#duration,
    };
  }
}
expose(PerformanceEntry, "PerformanceEntry");

function detailOf(options: Record<string, unknown>): unknown {
  const detail = options["detail"];
  return detail === undefined || detail === null ? null : structuredClone(detail);
}

function sinceOrigin(): number {
  return now() - originTime();
}

export class PerformanceMark extends PerformanceEntry {
  readonly #detail: unknown;

  constructor(name: unknown, options: unknown = {}) {
    const given = toDictionary(options, "The options of a mark");
    const start = given["startTime"] === undefined ? sinceOrigin() : Number(given["startTime"]);
    if (!(start >= 0)) throw new TypeError("The start of a mark must not be negative");
    super(kInternal, toText(name), "mark", start, 0);
    this.#detail = detailOf(given);
  }
  get detail(): unknown {
    return this.#detail;
  }
}
expose(PerformanceMark, "PerformanceMark");

export class PerformanceMeasure extends PerformanceEntry {
  readonly #detail: unknown;

  constructor(
    token: unknown = undefined,
    name = "",
    start = 0,
    duration = 0,
    detail: unknown = null,
  ) {
    refuseScripts(token);
    super(kInternal, name, "measure", start, duration);
    this.#detail = detail;
  }
  get detail(): unknown {
    return this.#detail;
  }
}
expose(PerformanceMeasure, "PerformanceMeasure");

export class Performance extends EventTarget {
  #entries: PerformanceEntry[] = [];

  constructor(token: unknown = undefined) {
    refuseScripts(token);
    super();
  }

  get timeOrigin(): number {
    void this.#entries;
    return wallOriginTime();
  }
  now(): number {
    void this.#entries;
    return sinceOrigin();
  }
  toJSON(): object {
    void this.#entries;
    return { timeOrigin: wallOriginTime() };
  }

  #add<Entry extends PerformanceEntry>(entry: Entry): Entry {
    if (this.#entries.length >= kMostEntries) this.#entries.shift();
    this.#entries.push(entry);
    return entry;
  }
  #timeOf(mark: unknown): number {
    if (typeof mark === "number") {
      if (mark < 0) throw new TypeError("A time must not be negative");
      return mark;
    }
    const name = toText(mark);
    for (let i = this.#entries.length - 1; i >= 0; --i) {
      const entry = this.#entries[i]!;
      if (entry.entryType === "mark" && entry.name === name) return entry.startTime;
    }
    throw new DOMException(`There is no mark named '${name}'`, "SyntaxError");
  }

  mark(name: unknown, options: unknown = {}): PerformanceMark {
    needArguments(arguments.length, 1, "performance.mark");
    return this.#add(new PerformanceMark(name, options));
  }
  measure(
    name: unknown,
    startOrOptions: unknown = {},
    endMark: unknown = undefined,
  ): PerformanceMeasure {
    needArguments(arguments.length, 1, "performance.measure");
    const isOptions = typeof startOrOptions === "object" && startOrOptions !== null;
    const options = isOptions ? toDictionary(startOrOptions, "options") : { start: startOrOptions };
    if (isOptions && Object.keys(options).length > 0) {
      if (endMark !== undefined) throw new TypeError("An end mark does not go with options");
      if (options["start"] === undefined && options["end"] === undefined)
        throw new TypeError("A measure needs a start or an end");
    }
    const duration = options["duration"];
    const endGiven = endMark ?? options["end"];
    let end = endGiven === undefined ? undefined : this.#timeOf(endGiven);
    let start = options["start"] === undefined ? undefined : this.#timeOf(options["start"]);
    if (end === undefined)
      end =
        start !== undefined && duration !== undefined ? start + Number(duration) : sinceOrigin();
    if (start === undefined) start = duration !== undefined ? end - Number(duration) : 0;
    return this.#add(
      new PerformanceMeasure(kInternal, toText(name), start, end - start, detailOf(options)),
    );
  }
  clearMarks(name: unknown = undefined): void {
    this.#clear("mark", name);
  }
  clearMeasures(name: unknown = undefined): void {
    this.#clear("measure", name);
  }
  #clear(type: string, name: unknown): void {
    const only = name === undefined ? undefined : toText(name);
    this.#entries = this.#entries.filter(
      (e) => e.entryType !== type || (only !== undefined && e.name !== only),
    );
  }
  getEntries(): PerformanceEntry[] {
    return [...this.#entries].sort((a, b) => a.startTime - b.startTime);
  }
  getEntriesByType(type: unknown): PerformanceEntry[] {
    return this.getEntries().filter((entry) => entry.entryType === toText(type));
  }
  getEntriesByName(name: unknown, type: unknown = undefined): PerformanceEntry[] {
    const wanted = this.getEntries().filter((entry) => entry.name === toText(name));
    return type === undefined ? wanted : wanted.filter((entry) => entry.entryType === toText(type));
  }
}
expose(Performance, "Performance");

defineGlobal("performance", new Performance(kInternal), true);
