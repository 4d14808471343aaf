// What browsers have and some engines with fetch() have not.

type Init = EventInit & Record<string, unknown>;

function orOwn(name: "CloseEvent" | "ProgressEvent", defaults: Record<string, unknown>) {
  const native = (globalThis as Record<string, unknown>)[name];
  if (native !== undefined) return native;
  return class extends Event {
    constructor(type: string, init: Init = {}) {
      super(type, init);
      for (const [key, value] of Object.entries(defaults))
        Object.defineProperty(this, key, { value: init[key] ?? value, enumerable: true });
    }
  };
}

export const closeEvent = (init: CloseEventInit): Event =>
  new (orOwn("CloseEvent", { code: 0, reason: "", wasClean: false }) as typeof CloseEvent)(
    "close",
    init,
  );

export const progressEvent = (type: string, loaded: number, total: number | undefined): Event =>
  new (
    orOwn("ProgressEvent", {
      lengthComputable: false,
      loaded: 0,
      total: 0,
    }) as typeof ProgressEvent
  )(type, {
    lengthComputable: total !== undefined,
    loaded,
    total: total ?? 0,
  });

type Handler = ((event: Event) => unknown) | null;

/** Gives a class the attributes `onopen`, `onmessage`, … of DOM objects. */
export function defineHandlers(prototype: EventTarget, types: readonly string[]): void {
  for (const type of types) {
    const handlers = new WeakMap<EventTarget, { handler: Handler; listener: EventListener }>();
    Object.defineProperty(prototype, `on${type}`, {
      configurable: true,
      enumerable: true,
      get(this: EventTarget) {
        return handlers.get(this)?.handler ?? null;
      },
      set(this: EventTarget, value: unknown) {
        const handler = typeof value === "function" ? (value as Handler) : null;
        const known = handlers.get(this);
        if (handler === null) {
          if (known !== undefined) this.removeEventListener(type, known.listener);
          handlers.delete(this);
        } else if (known !== undefined) {
          known.handler = handler; // keeps its place among the listeners
        } else {
          const entry = {
            handler,
            listener: (event: Event) => {
              if (entry.handler?.call(this, event) === false) event.preventDefault();
            },
          };
          handlers.set(this, entry);
          this.addEventListener(type, entry.listener);
        }
      },
    });
  }
}

/** Constants of a DOM interface: on the class and on its objects, not to be changed. */
export function defineConstants(type: { prototype: object }, values: Record<string, number>): void {
  for (const [name, value] of Object.entries(values))
    for (const where of [type, type.prototype])
      Object.defineProperty(where, name, { value, enumerable: true });
}
