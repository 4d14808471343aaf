// The web APIs of a script's world. The host evaluates this bundle once, in a warm process, and
// then calls the functions that are set on it here.
import "./shims.js";
import "./polyfills.js";
import { host, type Run } from "./base/host.js";
import "./base/dom-exception.js";
import "./text/encoding.js";
import "./run/random.js";
import { startClock } from "./run/clock.js";
import {
  failure,
  handledLater,
  reportException,
  resetFailures,
  unhandled,
} from "./run/failures.js";
import "./run/microtask.js";
import { installTimers, onWake, removeAllTimers, timersAreBusy } from "./run/timers.js";
import "./events/event-kinds.js";
import "./events/abort.js";
import "./run/global-events.js";
import { callsAreBusy, deliver, dropCalls, endRehearsal, setApis } from "./run/calls.js";
import "./run/array-buffer.js";
import "./run/structured-clone.js";
import "./events/message-channel.js";
import "./streams/streams.js";
import "./streams/compression.js";
import "./text/text-streams.js";
import "./text/base64.js";
import { forgetBlobUrls, setBaseUrl } from "./text/url.js";
import "./text/url-pattern.js";
import "./fetch/fetch.js";
import "./sockets/websocket.js";
import "./sockets/event-source.js";
import "./crypto/crypto.js";
import "./run/performance.js";
import { resetConsole } from "./console/console.js";
import "./mcp.js";
import "./navigator.js";
import "./console/platform-inspect.js";
import { forgetRandomness } from "./run/random.js";
import { describe } from "./run/describe.js";
import { toResult } from "./run/result.js";
import { warm } from "./run/warm.js";
import { type Prepared, prepare } from "./script/prepare.js";

installTimers();

host.begin = (run: Run) => {
  // What an earlier run of the session left behind is over.
  dropCalls();
  endRehearsal();
  removeAllTimers();
  resetFailures();
  resetConsole();
  forgetRandomness();
  forgetBlobUrls();
  startClock();
  setApis(run.apis);
  setBaseUrl(run.base);
};
// What a script has broken breaks its run, and nothing else: nothing is thrown at the host.
function guarded<Args extends unknown[]>(action: (...args: Args) => void): (...args: Args) => void {
  return (...args) => {
    try {
      action(...args);
    } catch (error) {
      reportException(error);
    }
  };
}

function prepareSafely(code: string, name: string, session: boolean): Prepared {
  try {
    return prepare(code, name, session);
  } catch (error) {
    const { message } = describe(error);
    return { source: "", names: [], error: { name: "SyntaxError", message, line: 1, column: 1 } };
  }
}

host.prepare = prepareSafely;
host.toResult = toResult;
host.describe = describe;
host.onFrame = guarded(deliver);
host.onWake = guarded(onWake);
host.isBusy = () => timersAreBusy() || callsAreBusy();
host.unhandled = unhandled;
host.handledLater = handledLater;
host.failure = failure;
host.warm = warm;
