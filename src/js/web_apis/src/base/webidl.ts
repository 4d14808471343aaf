// The parts of Web IDL that we need: conversions of arguments, and classes that look like those of
// a browser.
import {
  apply,
  createObject,
  defineProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  ownKeys,
} from "./intrinsics.js";

type Constructor = abstract new (...args: never[]) => object;

// Passed to a constructor that scripts may not call.
export const kInternal: unique symbol = Symbol("internal");

export function refuseScripts(token: unknown): void {
  if (token !== kInternal) throw new TypeError("Illegal constructor");
}

function makeEnumerable(target: object, skip: readonly PropertyKey[]): void {
  for (const key of ownKeys(target)) {
    if (typeof key === "symbol" || skip.includes(key)) continue;
    const descriptor = getOwnPropertyDescriptor(target, key)!;
    if (!descriptor.configurable) continue;
    descriptor.enumerable = true;
    defineProperty(target, key, descriptor);
  }
}

export function defineGlobal(name: string, value: unknown, enumerable = false): void {
  // The bundler may have given it another name.
  if (typeof value === "function")
    defineProperty(value, "name", { value: name, configurable: true });
  defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable });
}

// Gives a class the shape that Web IDL wants: enumerable members, a tag, a global name.
function shape(constructor: Constructor, name: string): void {
  const prototype = constructor.prototype as object;
  makeEnumerable(prototype, ["constructor"]);
  makeEnumerable(constructor, ["length", "name", "prototype"]);
  defineProperty(prototype, Symbol.toStringTag, { value: name, configurable: true });
}

const platformPrototypes = new Set<object>();
export const platformClasses: { name: string; prototype: object }[] = [];

// Objects of these classes are no plain objects: they have state that copying properties misses.
export function isPlatformObject(value: object): boolean {
  for (let at: object | null = value; at !== null; at = getPrototypeOf(at) as object | null) {
    if (platformPrototypes.has(at)) return true;
  }
  return false;
}

// A class that has its shape already.
export function exposeAsIs(constructor: Constructor, name: string): void {
  const prototype = constructor.prototype as object;
  platformPrototypes.add(prototype);
  platformClasses.push({ name, prototype });
  defineGlobal(name, constructor);
}

export function expose(constructor: Constructor, name: string): void {
  shape(constructor, name);
  exposeAsIs(constructor, name);
}

export function defineConstants(constructor: Constructor, constants: Record<string, number>): void {
  for (const name of Object.keys(constants)) {
    const descriptor = { value: constants[name], enumerable: true };
    defineProperty(constructor, name, descriptor);
    defineProperty(constructor.prototype as object, name, descriptor);
  }
}

// ---- Conversions ----

export function needArguments(count: number, needed: number, where: string): void {
  if (count < needed) {
    throw new TypeError(
      `${where} needs ${needed} argument${needed === 1 ? "" : "s"}, but only ${count} given`,
    );
  }
}

export function toText(value: unknown): string {
  if (typeof value === "symbol") throw new TypeError("A Symbol cannot be converted to a string");
  return `${value as string}`;
}

const kLoneSurrogate = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

export function toUsvText(value: unknown): string {
  return toText(value).replace(kLoneSurrogate, "\uFFFD");
}

export function toByteText(value: unknown, what: string): string {
  const text = toText(value);
  for (let i = 0; i < text.length; ++i) {
    if (text.charCodeAt(i) > 255) {
      throw new TypeError(
        `${what}: the character at index ${i} has the value ${text.charCodeAt(i)}, which is greater than 255`,
      );
    }
  }
  return text;
}

export function toUint16(value: unknown): number {
  const number = Math.trunc(Number(value));
  if (!Number.isFinite(number)) return 0;
  return ((number % 65536) + 65536) % 65536;
}

export function toClampedUint16(value: unknown): number {
  const number = Number(value);
  if (Number.isNaN(number)) return 0;
  return Math.round(Math.min(Math.max(number, 0), 65535));
}

// `unsigned long long` with [EnforceRange].
export function toEnforcedLength(value: unknown, what: string): number {
  const number = Math.trunc(Number(value));
  if (!(number >= 0 && number <= Number.MAX_SAFE_INTEGER)) {
    throw new TypeError(`${what} is outside the accepted range`);
  }
  return number === 0 ? 0 : number;
}

// `long long` with [Clamp].
export function toClampedInteger(value: unknown): number {
  const number = Number(value);
  if (Number.isNaN(number)) return 0;
  const limit = Number.MAX_SAFE_INTEGER;
  const clamped = Math.min(Math.max(number, -limit), limit);
  // Halves go to the even neighbour.
  const floor = Math.floor(clamped);
  if (clamped - floor === 0.5) return floor % 2 === 0 ? floor : floor + 1;
  return Math.round(clamped);
}

export function isObject(value: unknown): value is object {
  return (typeof value === "object" && value !== null) || typeof value === "function";
}

export type Dictionary = Record<string, unknown>;

const kNothing: Dictionary = Object.freeze(createObject(null)) as Dictionary;

export function toDictionary(value: unknown, what: string): Dictionary {
  if (value === undefined || value === null) return kNothing;
  if (!isObject(value)) throw new TypeError(`${what} is not an object`);
  return value as Dictionary;
}

export function toChoice<Choice extends string>(
  value: unknown,
  choices: readonly Choice[],
  what: string,
): Choice {
  const text = toText(value) as Choice;
  if (!choices.includes(text)) {
    throw new TypeError(
      `${what}: '${text}' is not one of ${choices.map((c) => `'${c}'`).join(", ")}`,
    );
  }
  return text;
}

export function iteratorMethodOf(value: object, what: string): Function | undefined {
  const method = (value as { [Symbol.iterator]?: unknown })[Symbol.iterator];
  if (method === undefined || method === null) return undefined;
  if (typeof method !== "function") throw new TypeError(`${what} is not iterable`);
  return method;
}

// A sequence; `method` is the iterator method that has already been looked up. Each item is converted
// before the next is asked for.
export function toSequence(
  value: object,
  what: string,
  method?: Function,
  convert: (item: unknown) => unknown = (item) => item,
): unknown[] {
  const make = method ?? iteratorMethodOf(value, what);
  if (make === undefined) throw new TypeError(`${what} is not iterable`);
  const iterator = apply(make, value, []) as Iterator<unknown>;
  if (!isObject(iterator)) throw new TypeError(`${what} is not iterable`);
  const next = iterator.next;
  const items: unknown[] = [];
  for (;;) {
    const step = apply(next, iterator, []) as IteratorResult<unknown>;
    if (!isObject(step))
      throw new TypeError(`The iterator of ${what} gave something that is not an object`);
    if (step.done) return items;
    items[items.length] = convert(step.value);
  }
}

// record<K, V>: own enumerable properties in order.
export function toRecord<Value>(
  value: object,
  toKey: (key: unknown) => string,
  toValue: (value: unknown) => Value,
): [string, Value][] {
  const pairs = new Map<string, Value>();
  for (const key of ownKeys(value)) {
    const descriptor = Reflect.getOwnPropertyDescriptor(value, key);
    if (!descriptor?.enumerable) continue;
    const name = toKey(key);
    pairs.set(name, toValue((value as Record<PropertyKey, unknown>)[key]));
  }
  return [...pairs];
}

// ---- iterable<K, V> ----

type Pair = [unknown, unknown];
type Kind = "keys" | "values" | "entries";

const ArrayIteratorPrototype = getPrototypeOf([][Symbol.iterator]()) as object;
const IteratorPrototype = getPrototypeOf(ArrayIteratorPrototype) as object;

// Adds entries(), keys(), values(), forEach() and [Symbol.iterator]. `pairsOf` is asked again at each
// step, because the object may change meanwhile; it throws for an object of another class.
export function defineIterable<Class extends Constructor>(
  constructor: Class,
  name: string,
  pairsOf: (target: InstanceType<Class>) => readonly Pair[],
): void {
  const states = new WeakMap<object, { target: InstanceType<Class>; kind: Kind; index: number }>();
  const iteratorPrototype = createObject(IteratorPrototype) as object;
  const members = {
    next(this: object): IteratorResult<unknown> {
      const state = states.get(this);
      if (state === undefined)
        throw new TypeError(`next() called on what is not a ${name} Iterator`);
      const pairs = pairsOf(state.target);
      if (state.index >= pairs.length) return { value: undefined, done: true };
      const [key, value] = pairs[state.index++]!;
      const result = { keys: key, values: value, entries: [key, value] }[state.kind];
      return { value: result, done: false };
    },
  };
  defineProperty(iteratorPrototype, "next", {
    value: members.next,
    writable: true,
    configurable: true,
    enumerable: true,
  });
  defineProperty(iteratorPrototype, Symbol.toStringTag, {
    value: `${name} Iterator`,
    configurable: true,
  });

  const iterate = (target: InstanceType<Class>, kind: Kind): object => {
    pairsOf(target);
    const iterator = createObject(iteratorPrototype) as object;
    states.set(iterator, { target, kind, index: 0 });
    return iterator;
  };
  const methods = {
    entries(this: InstanceType<Class>) {
      return iterate(this, "entries");
    },
    keys(this: InstanceType<Class>) {
      return iterate(this, "keys");
    },
    values(this: InstanceType<Class>) {
      return iterate(this, "values");
    },
    forEach(this: InstanceType<Class>, callback: unknown, thisArgument: unknown = undefined) {
      pairsOf(this);
      if (typeof callback !== "function") {
        throw new TypeError(`${name}.forEach needs a function as its first argument`);
      }
      for (let i = 0; i < pairsOf(this).length; ++i) {
        const [key, value] = pairsOf(this)[i]!;
        apply(callback, thisArgument, [value, key, this]);
      }
    },
  };
  const prototype = constructor.prototype as object;
  for (const [key, value] of Object.entries(methods)) {
    defineProperty(prototype, key, { value, writable: true, configurable: true, enumerable: true });
  }
  defineProperty(prototype, Symbol.iterator, {
    value: methods.entries,
    writable: true,
    configurable: true,
  });
}
