// What the platform passes and this package does not, each with its reason, and what is not run at all.

/** Files that are about things which neither Node nor an app behind a gateway has. */
export const kLeftOut = new RegExp(
  [
    "websockets/stream/", // WebSocketStream is a draft
    "tentative",
    "\\.h2\\.any",
    // A page's address: an app has none that a backend should hear of. As in tests/wpt.
    "redirect-(referrer|origin)",
    "/(request-)?referrer",
  ].join("|"),
);

interface Exception {
  path: RegExp;
  name: RegExp;
  reason: string;
}

const kExceptions: Exception[] = [
  {
    path: /basic\/request-headers\.any/,
    name: /(PUT|POST)/,
    reason: "`Origin` is the gateway's, and it sends none",
  },
  {
    path: /request-forbidden-headers/,
    name: /Referer/,
    reason: "Node's `Request` filters no headers, browsers' do, and so does the gateway",
  },
  {
    path: /request-headers-case/,
    name: /^Multiple headers/,
    reason: "names of headers are sent in lower case",
  },
  {
    path: /header-value-combining/,
    name: /double-trouble/,
    reason: "the scripted server has no pairs of headers, only what Node has joined",
  },
  {
    path: /abort\/general/,
    name: /already aborted$|twice on aborted response/,
    reason: "a body that was aborted before it was read rejects some microtasks later",
  },
];

export const exceptionOf = (path: string, name: string): string | undefined =>
  kExceptions.find((each) => each.path.test(path) && each.name.test(name))?.reason;
