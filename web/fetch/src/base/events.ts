// What browsers have and some engines with fetch() have not.

type Maker = new (type: string, init: object) => Event;

function make(name: "CloseEvent" | "ProgressEvent", type: string, init: object): Event {
  const Native = (globalThis as unknown as Record<string, Maker | undefined>)[name];
  return Native === undefined ? Object.assign(new Event(type), init) : new Native(type, init);
}

export const closeEvent = (init: CloseEventInit): Event => make("CloseEvent", "close", init);

export const progressEvent = (type: string, loaded: number, total: number | undefined): Event =>
  make("ProgressEvent", type, { lengthComputable: total !== undefined, loaded, total: total ?? 0 });

/** Pages hear only that something failed; whoever debugs finds why in `event.cause`. */
export const errorEvent = (cause: unknown): Event => Object.assign(new Event("error"), { cause });

type Handler = ((event: Event) => unknown) | null;

/** Gives a class the attributes `onopen`, `onmessage`, … of DOM objects. */
function defineHandlers(prototype: EventTarget, types: readonly string[]): void {
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

/**
 * Makes a class look like a DOM interface. A call that is marked as pure instead of statements, so that
 * bundlers can leave out what is not used.
 */
export function domClass<T extends { prototype: EventTarget }>(
  type: T,
  handlers: readonly string[],
  constants: Record<string, number> = {},
): T {
  defineHandlers(type.prototype, handlers);
  for (const [name, value] of Object.entries(constants))
    for (const where of [type, type.prototype])
      Object.defineProperty(where, name, { value, enumerable: true });
  return type;
}
