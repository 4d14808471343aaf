// `onteardown` of an app has one slot. Ours runs after whatever is in it, now or later.
import type { AppLike } from "./tool-caller.ts";

/** Returns what undoes it. */
export function chainTeardown(app: AppLike, last: () => Promise<void>): () => void {
  if (!("onteardown" in app)) return () => {};
  let theirs = app.onteardown;
  const chained = async (params: never, extra: never): Promise<unknown> => {
    try {
      return (await theirs?.(params, extra)) ?? {};
    } finally {
      await last();
    }
  };
  app.onteardown = chained;
  Object.defineProperty(app, "onteardown", {
    configurable: true,
    enumerable: true,
    get: () => theirs,
    set: (handler: AppLike["onteardown"]) => {
      theirs = handler;
    },
  });
  return () => {
    delete app.onteardown;
    app.onteardown = theirs;
  };
}
