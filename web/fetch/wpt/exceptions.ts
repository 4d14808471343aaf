// What the platform passes and this package does not, each with its reason, and what is not run at all.

/** Files that are about things which neither Node nor an app in a frame has. */
export const kLeftOut = new RegExp(
  [
    "websockets/stream/", // WebSocketStream is a draft
    "tentative",
    "\\.h2\\.any",
  ].join("|"),
);

interface Exception {
  path: RegExp;
  name: RegExp;
  reason: string;
}

const kExceptions: Exception[] = [];

export const exceptionOf = (path: string, name: string): string | undefined =>
  kExceptions.find((each) => each.path.test(path) && each.name.test(name))?.reason;
