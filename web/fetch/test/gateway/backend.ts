// Where relative URLs lead, and which of them are allowed.
import { ToolFailure } from "./results.ts";

export interface BackendOptions {
  baseUrl: string;
  /** Paths that apps may ask for, with what is below them. Default: all. */
  paths?: string[];
  /** Other origins may be asked, too. */
  allowsAbsolute?: boolean;
}

export class Backend {
  readonly #options: BackendOptions;
  // The one of before any test replaced the global.
  readonly fetch = globalThis.fetch.bind(globalThis);

  constructor(options: BackendOptions) {
    this.#options = options;
  }

  resolve(url: string): string {
    const { baseUrl, paths, allowsAbsolute } = this.#options;
    if (URL.canParse(url)) {
      if (allowsAbsolute !== true)
        throw new ToolFailure("policy_denied", "Absolute URLs are not allowed.");
      return url;
    }
    const target = new URL(url, baseUrl);
    const isAllowed = (path: string): boolean =>
      target.pathname === path || target.pathname.startsWith(`${path}/`);
    if (paths !== undefined && !paths.some(isAllowed))
      throw new ToolFailure("policy_denied", "The backend does not offer this path.");
    return target.href;
  }

  /** A URL as the app knows it: relative where its own was. */
  relative(url: string, asked: string): string {
    if (URL.canParse(asked)) return url;
    const target = new URL(url || asked, this.#options.baseUrl);
    const isSame = target.origin === new URL(this.#options.baseUrl).origin;
    return isSame ? target.pathname + target.search : target.href;
  }
}
