// What the platform passes and this package does not, each with its reason, and what is not run at all.

/** Files that are about things which neither Node nor an app behind a gateway has. */
export const kLeftOut = new RegExp(
  [
    "websockets/stream/", // WebSocketStream is a draft
    "tentative",
    "\\.h2\\.any",
  ].join("|"),
);

export interface Exception {
  path: RegExp;
  name: RegExp;
  reason: string;
  /** What else runs decides whether it is needed. */
  isByChance?: true;
}

const kExceptions: Exception[] = [
  {
    path: /basic\/request-headers\.any/,
    name: /(PUT|POST)/,
    reason: "`Origin` is the gateway's, and it sends none",
  },
  {
    path: /redirect-origin/,
    name: /./,
    reason: "`Origin` is the gateway's, and it sends none",
  },
  {
    path: /\/(request-referrer|referrer|redirect-referrer|redirect-referrer-override)\.any/,
    name: /./,
    reason:
      "no `Referer` is sent: an app's address is its host's, which a backend should not hear of",
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
    path: /abort\/general/,
    name: /already aborted$|twice on aborted response/,
    reason: "a body that was aborted before it was read rejects some microtasks later",
  },
];

const kOfTheScriptedServer: Exception[] = [
  {
    path: /header-value-combining/,
    name: /double-trouble/,
    reason: "the scripted server has no pairs of headers, only what Node has joined",
  },
];

// What the gateway decides, where the tests go through it.
const kOfTheGateway: Exception[] = [
  {
    path: /request-forbidden-headers/,
    name: /method/i,
    reason: "headers that override the method are left out, whatever they say",
  },
  {
    path: /authentication-|cors-preflight/,
    name: /authorization/i,
    reason: "`Authorization` is the gateway's to set",
  },
  {
    path: /request-upload\.any/,
    name: /421/,
    reason: "an answer of 421 is an answer, not a reason to ask again",
  },
  {
    path: /cookies/,
    name: /cookie/i,
    reason: "one jar of cookies serves all files that run at once",
    isByChance: true,
  },
];

export const exceptions = (isGateway: boolean): readonly Exception[] => [
  ...kExceptions,
  ...(isGateway ? kOfTheGateway : kOfTheScriptedServer),
];
