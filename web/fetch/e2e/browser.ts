// Chromium as people have it: no flag that weakens the security of the web.
import { existsSync } from "node:fs";
import { type Browser, chromium, type Frame, type Page } from "playwright-core";
import type { Scenarios } from "./pages/scenarios.ts";

const kPaths = [process.env.TEST_CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"];

export const chromiumPath = (): string | undefined =>
  kPaths.find((path) => path !== undefined && existsSync(path));

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath()!,
    // Without a sandbox only where the kernel gives none: root in a container.
    args: process.getuid?.() === 0 ? ["--no-sandbox"] : [],
  });

type Result<F> = F extends (...args: never[]) => infer R ? Awaited<R> : never;

/** An app that runs: in its frames, or natively. */
export class RunningApp {
  readonly page: Page;
  readonly #frame: Frame;

  constructor(page: Page, frame: Frame) {
    this.page = page;
    this.#frame = frame;
  }

  run<K extends keyof Scenarios>(
    name: K,
    ...args: Parameters<Scenarios[K]>
  ): Promise<Result<Scenarios[K]>> {
    return this.#frame.evaluate(
      ([which, list]) =>
        (window as unknown as { scenarios: Record<string, (...all: unknown[]) => unknown> })
          .scenarios[which]!(...list),
      [name as string, args as unknown[]] as const,
    ) as Promise<Result<Scenarios[K]>>;
  }

  host<T>(name: string, ...args: unknown[]): Promise<T> {
    return this.page.evaluate(
      ([which, list]) =>
        (window as unknown as Record<string, (...all: unknown[]) => unknown>)[which]!(...list),
      [name, args] as const,
    ) as Promise<T>;
  }
}

async function whenReady(page: Page, frame: () => Frame | undefined): Promise<RunningApp> {
  const until = Date.now() + 20_000;
  for (;;) {
    const found = frame();
    const isReady = await found?.evaluate(() => "scenarios" in window).catch(() => false);
    if (found !== undefined && isReady === true) return new RunningApp(page, found);
    if (Date.now() > until) throw new Error(`The app did not start: ${await page.content()}`);
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** Opens the host's page with the app in two frames. */
export async function openApp(browser: Browser, base: string, options = ""): Promise<RunningApp> {
  const page = await (await browser.newContext()).newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.goto(`${base}/host.html?${options}`);
  return whenReady(page, () =>
    page.frames().find((frame) => frame.parentFrame()?.parentFrame()),
  ).catch((error: Error) => {
    throw new Error(`${error.message}\n${problems.join("\n")}`);
  });
}

/** The same app as a plain page of its own backend. */
export async function openNative(browser: Browser, url: string): Promise<RunningApp> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(url);
  return whenReady(page, () => page.mainFrame());
}
