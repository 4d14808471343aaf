// Responses that pass as those of fetch(): real ones, with what only fetch() can give them.

export interface ResponseFacts {
  status: number;
  statusText: string;
  headers: readonly (readonly [string, string])[];
  url: string;
  redirected: boolean;
  type: ResponseType;
}

const kNullBodyStatuses = new Set([101, 103, 204, 205, 304]);

export const hasNoBody = (method: string, status: number): boolean =>
  method === "HEAD" || kNullBodyStatuses.has(status);

class ReceivedHeaders extends Headers {
  #isOpen = true;

  constructor(pairs: ResponseFacts["headers"]) {
    super();
    for (const [name, value] of pairs) {
      try {
        this.append(name, value);
      } catch {
        // Not a header that a page could see.
      }
    }
    this.#isOpen = false;
  }

  #check(): void {
    if (!this.#isOpen) throw new TypeError("Headers are immutable");
  }

  override append(name: string, value: string): void {
    this.#check();
    super.append(name, value);
  }
  override set(name: string, value: string): void {
    this.#check();
    super.set(name, value);
  }
  override delete(name: string): void {
    this.#check();
    super.delete(name);
  }
}

const kOwnNames: readonly (keyof ResponseFacts)[] = ["status", "url", "redirected", "type"];

function decorate(response: Response, facts: ResponseFacts): Response {
  const headers = new ReceivedHeaders(facts.headers);
  const nativeClone = response.clone;
  const define = (name: string, value: unknown) =>
    Object.defineProperty(response, name, { value, configurable: true, writable: false });
  for (const name of kOwnNames) define(name, facts[name]);
  define("ok", facts.status >= 200 && facts.status <= 299);
  define("headers", headers);
  define("clone", () => decorate(nativeClone.call(response), facts));
  return response;
}

/** Statuses that pages cannot give a Response of their own, but may receive. */
const isConstructible = (status: number): boolean => status >= 200 && status <= 599;

export function makeResponse(facts: ResponseFacts, body: ReadableStream | null): Response {
  const init: ResponseInit = {
    status: isConstructible(facts.status) ? facts.status : 200,
    headers: new ReceivedHeaders(facts.headers),
  };
  let response: Response;
  try {
    response = new Response(body, { ...init, statusText: facts.statusText });
  } catch {
    response = new Response(body, init); // a reason phrase that is none
  }
  return decorate(response, facts);
}

/** An answer that says nothing but that there was one: an opaque redirect, or `no-cors`. */
export function makeFilteredResponse(type: "opaque" | "opaqueredirect", url: string): Response {
  const facts = { status: 0, statusText: "", headers: [], url, redirected: false, type };
  return decorate(Response.error(), facts);
}
