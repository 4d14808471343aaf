import { defineProperty, setPrototypeOf } from "./intrinsics.js";
import { currentPlace, framesOf } from "./place.js";
import { defineConstants, expose, toDictionary, toText } from "./webidl.js";

// The names that had a number once.
const kCodes: Record<string, number> = {
  IndexSizeError: 1,
  HierarchyRequestError: 3,
  WrongDocumentError: 4,
  InvalidCharacterError: 5,
  NoModificationAllowedError: 7,
  NotFoundError: 8,
  NotSupportedError: 9,
  InUseAttributeError: 10,
  InvalidStateError: 11,
  SyntaxError: 12,
  InvalidModificationError: 13,
  NamespaceError: 14,
  InvalidAccessError: 15,
  TypeMismatchError: 17,
  SecurityError: 18,
  NetworkError: 19,
  AbortError: 20,
  URLMismatchError: 21,
  QuotaExceededError: 22,
  TimeoutError: 23,
  InvalidNodeTypeError: 24,
  DataCloneError: 25,
};

const kConstants: Record<string, number> = {
  INDEX_SIZE_ERR: 1,
  DOMSTRING_SIZE_ERR: 2,
  HIERARCHY_REQUEST_ERR: 3,
  WRONG_DOCUMENT_ERR: 4,
  INVALID_CHARACTER_ERR: 5,
  NO_DATA_ALLOWED_ERR: 6,
  NO_MODIFICATION_ALLOWED_ERR: 7,
  NOT_FOUND_ERR: 8,
  NOT_SUPPORTED_ERR: 9,
  INUSE_ATTRIBUTE_ERR: 10,
  INVALID_STATE_ERR: 11,
  SYNTAX_ERR: 12,
  INVALID_MODIFICATION_ERR: 13,
  NAMESPACE_ERR: 14,
  INVALID_ACCESS_ERR: 15,
  VALIDATION_ERR: 16,
  TYPE_MISMATCH_ERR: 17,
  SECURITY_ERR: 18,
  NETWORK_ERR: 19,
  ABORT_ERR: 20,
  URL_MISMATCH_ERR: 21,
  QUOTA_EXCEEDED_ERR: 22,
  TIMEOUT_ERR: 23,
  INVALID_NODE_TYPE_ERR: 24,
  DATA_CLONE_ERR: 25,
};

export class DOMException {
  readonly #name: string;
  readonly #message: string;

  constructor(message: unknown = "", options: unknown = "Error") {
    this.#message = toText(message);
    if (typeof options === "object" && options !== null) {
      // As other runtimes have it: { name, cause }.
      const given = toDictionary(options, "options");
      this.#name = given["name"] === undefined ? "Error" : toText(given["name"]);
      if ("cause" in given) {
        defineProperty(this, "cause", {
          value: given["cause"],
          writable: true,
          configurable: true,
        });
      }
    } else {
      this.#name = toText(options);
    }
    DOMException.#addStack(this);
  }

  // V8 makes the first line of the stack from `name` and `message` of the object at hand, which at
  // this time are those of the prototype; so we write that line ourselves.
  static #addStack(exception: DOMException): void {
    const frames = framesOf(currentPlace(DOMException));
    const head =
      exception.#message === "" ? exception.#name : `${exception.#name}: ${exception.#message}`;
    defineProperty(exception, "stack", {
      value: head + frames,
      writable: true,
      configurable: true,
    });
  }

  get name(): string {
    return this.#name;
  }
  get message(): string {
    return this.#message;
  }
  get code(): number {
    return Object.hasOwn(kCodes, this.#name) ? kCodes[this.#name]! : 0;
  }

  static isOne(value: unknown): value is DOMException {
    return typeof value === "object" && value !== null && #name in value;
  }
}

export const isDOMException = DOMException.isOne;
delete (DOMException as Partial<typeof DOMException>).isOne;

setPrototypeOf(DOMException.prototype, Error.prototype);
defineConstants(DOMException, kConstants);
expose(DOMException, "DOMException");

// https://webidl.spec.whatwg.org/#quotaexceedederror
export class QuotaExceededError extends DOMException {
  readonly #quota: number | null;
  readonly #requested: number | null;

  constructor(message: unknown = "", options: unknown = {}) {
    super(message, "QuotaExceededError");
    const given = toDictionary(options, "options");
    const quota = given["quota"] === undefined ? null : Number(given["quota"]);
    const requested = given["requested"] === undefined ? null : Number(given["requested"]);
    if (
      (quota !== null && !Number.isFinite(quota)) ||
      (requested !== null && !Number.isFinite(requested))
    ) {
      throw new TypeError("quota and requested must be finite numbers");
    }
    if ((quota ?? 0) < 0 || (requested ?? 0) < 0) {
      throw new RangeError("quota and requested must not be negative");
    }
    if (quota !== null && requested !== null && requested < quota) {
      throw new RangeError("requested must not be less than quota");
    }
    this.#quota = quota;
    this.#requested = requested;
  }

  get quota(): number | null {
    return this.#quota;
  }
  get requested(): number | null {
    return this.#requested;
  }
}
expose(QuotaExceededError, "QuotaExceededError");
