import { defineIterable, expose, needArguments, toUsvText } from "../base/webidl.js";
import { File, blobOf, bytesOfBlob, isBlob, isFile } from "./blob.js";

export type FormValue = string | File;
export type FormEntry = [string, FormValue];

export let formEntries: (data: FormData) => FormEntry[];
export let isFormData: (value: unknown) => value is FormData;

function toValue(value: unknown, filename: unknown, hasFilename: boolean): FormValue {
  if (!isBlob(value)) {
    if (hasFilename) throw new TypeError("A file name goes with a Blob only");
    return toUsvText(value);
  }
  if (isFile(value) && !hasFilename) return value;
  const name = hasFilename ? toUsvText(filename) : "blob";
  const lastModified = isFile(value) ? value.lastModified : Date.now();
  return new File([blobOf(bytesOfBlob(value), value.type)], name, {
    type: value.type,
    lastModified,
  });
}

export class FormData {
  #entries: FormEntry[] = [];

  constructor(form: unknown = undefined) {
    if (form !== undefined)
      throw new TypeError("There are no form elements here: FormData takes no argument");
  }
  static {
    formEntries = (data) => data.#entries;
    isFormData = (value): value is FormData =>
      typeof value === "object" && value !== null && #entries in value;
  }

  append(name: unknown, value: unknown, filename: unknown = undefined): void {
    needArguments(arguments.length, 2, "FormData.append");
    const entries = this.#entries;
    const key = toUsvText(name);
    entries.push([key, toValue(value, filename, filename !== undefined)]);
  }
  delete(name: unknown): void {
    needArguments(arguments.length, 1, "FormData.delete");
    const key = toUsvText(name);
    this.#entries = this.#entries.filter((entry) => entry[0] !== key);
  }
  get(name: unknown): FormValue | null {
    needArguments(arguments.length, 1, "FormData.get");
    const key = toUsvText(name);
    return this.#entries.find((entry) => entry[0] === key)?.[1] ?? null;
  }
  getAll(name: unknown): FormValue[] {
    needArguments(arguments.length, 1, "FormData.getAll");
    const key = toUsvText(name);
    return this.#entries.filter((entry) => entry[0] === key).map((entry) => entry[1]);
  }
  has(name: unknown): boolean {
    needArguments(arguments.length, 1, "FormData.has");
    const key = toUsvText(name);
    return this.#entries.some((entry) => entry[0] === key);
  }
  set(name: unknown, value: unknown, filename: unknown = undefined): void {
    needArguments(arguments.length, 2, "FormData.set");
    const key = toUsvText(name);
    const entry: FormEntry = [key, toValue(value, filename, filename !== undefined)];
    const first = this.#entries.findIndex((known) => known[0] === key);
    if (first < 0) {
      this.#entries.push(entry);
      return;
    }
    this.#entries = this.#entries.filter((known, index) => index <= first || known[0] !== key);
    this.#entries[first] = entry;
  }
}
defineIterable(FormData, "FormData", formEntries);
expose(FormData, "FormData");
