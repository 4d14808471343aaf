import { defineProperty } from "./base/intrinsics.js";
import { defineGlobal, expose, kInternal, refuseScripts } from "./base/webidl.js";

class Navigator {
  readonly #brand = true;
  constructor(token: unknown = undefined) {
    refuseScripts(token);
  }
  get userAgent(): string {
    void this.#brand;
    return "Sallyport";
  }
}
expose(Navigator, "Navigator");
defineGlobal("navigator", new Navigator(kInternal), true);
defineProperty(globalThis, "self", {
  value: globalThis,
  writable: true,
  configurable: true,
  enumerable: true,
});
