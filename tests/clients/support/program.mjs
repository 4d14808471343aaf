// `sallyport` as a shell runs it, with state of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { sallyport } from '../../peers/paths.mjs';

export class Home {
  variables = {};

  static async make() {
    const home = new Home();
    home.folder = await mkdtemp(path.join(tmpdir(), 'sallyport-servers-'));
    return home;
  }

  get environment() {
    const variables = { ...process.env, ...this.variables, XDG_STATE_HOME: this.folder };
    delete variables.DISPLAY;
    delete variables.WAYLAND_DISPLAY;
    return variables;
  }

  start(args, variables = {}) {
    return new Run(spawn(sallyport, args, { env: { ...this.environment, ...variables } }));
  }

  /** Runs it to its end. */
  async run(...args) {
    const run = this.start(args);
    run.child.stdin.end();
    return run.ended();
  }

  /** The same at a terminal, on which `keys` are typed. */
  async runAtTerminal(keys, ...args) {
    const quoted = [sallyport, ...args].map((word) => `'${word}'`).join(' ');
    const child = spawn('script', ['-qec', quoted, '/dev/null'], { env: this.environment });
    const run = new Run(child);
    for (const [prompt, line] of keys) {
      await run.said(prompt);
      child.stdin.write(`${line}\n`);
    }
    const ended = await run.ended();
    child.stdin.end();
    return ended;
  }

  remove() {
    return rm(this.folder, { recursive: true, force: true });
  }
}

class Run {
  out = '';
  err = '';

  constructor(child) {
    this.child = child;
    child.stdout.setEncoding('utf8').on('data', (text) => (this.out += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (this.err += text));
    this.exit = once(child, 'close');
  }

  async ended() {
    const [code, signal] = await this.exit;
    return { code, signal, out: this.out, err: this.err };
  }

  /** Waits until it has said something, and gives that. */
  async said(pattern) {
    for (;;) {
      const found = pattern.exec(this.out + this.err);
      if (found) return found;
      if (this.child.exitCode !== null) throw new Error(`It ended: ${this.out}${this.err}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}
