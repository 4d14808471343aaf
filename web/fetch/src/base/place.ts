// Where URLs lead. Apps live in documents whose own address is no base (about:srcdoc, blob:, data:).

/** For apps in documents that have no address of their own: a name that nobody can own. */
const kNowhere = "https://app.invalid/";

export interface Place {
  /** What relative URLs are relative to. */
  base: string;
  /** Origins that mean the app's own backend. */
  own: ReadonlySet<string>;
}

const isWeb = (url: URL): boolean => url.protocol === "http:" || url.protocol === "https:";

function webUrl(text: string | undefined | null): URL | undefined {
  if (!text || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return isWeb(url) ? url : undefined;
}

export function placeOf(baseUrl?: string | URL): Place {
  const here = webUrl(globalThis.document?.baseURI) ?? webUrl(globalThis.location?.href);
  const chosen = baseUrl === undefined ? undefined : new URL(String(baseUrl), here);
  const base = chosen ?? here ?? new URL(kNowhere);
  // What an app resolved by itself, with new Request("/x"), has the document's origin.
  const own = new Set([base.origin]);
  if (here !== undefined) own.add(here.origin);
  return { base: base.href, own };
}

/** How the tools name a URL: path and query for the app's own backend, else all of it. */
export function wireUrl(place: Place, url: URL): string {
  return isOwn(place, url) ? url.pathname + url.search : withoutFragment(url);
}

/** Sockets of the app's own origin count as its own, too. */
export function isOwn(place: Place, url: URL): boolean {
  if (place.own.has(url.origin)) return true;
  if (url.protocol !== "ws:" && url.protocol !== "wss:") return false;
  return place.own.has(url.origin.replace(/^ws/, "http"));
}

export function withoutFragment(url: URL): string {
  const copy = new URL(url);
  copy.hash = "";
  return copy.href;
}

/** A URL that a tool answered, in the terms of the request's. */
export function fromWire(url: string, request: URL): string {
  return URL.canParse(url, request.origin)
    ? withoutFragment(new URL(url, request.origin))
    : request.href;
}
