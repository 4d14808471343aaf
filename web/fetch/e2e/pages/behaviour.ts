// What an app can observe of its network, as plain values: the same natively and over MCP.

type Log = (string | number | boolean | null)[];

function logged(request: XMLHttpRequest, log: Log, hasBody: boolean): Promise<Log> {
  const note = (target: EventTarget, prefix: string) => {
    for (const type of ["loadstart", "progress", "load", "error", "abort", "timeout", "loadend"])
      target.addEventListener(type, (event) => {
        const { loaded } = event as ProgressEvent;
        const line = `${prefix}${type}`;
        // How often progress is told is up to the network.
        if (type === "progress" && log.at(-1) === line) return;
        log.push(type === "progress" ? line : `${line} ${loaded > 0}`);
      });
  };
  request.onreadystatechange = () => {
    const line = `state ${request.readyState}`;
    if (log.at(-1) !== line && log.at(-1) !== "progress") log.push(line);
  };
  note(request, "");
  // Chromium tells of an upload that failed where there was none; the standard does not.
  if (hasBody) note(request.upload, "upload ");
  return new Promise((resolve) =>
    request.addEventListener("loadend", () => {
      const { status, statusText, responseURL } = request;
      const url = responseURL === "" ? "" : new URL(responseURL).pathname;
      log.push(status, statusText, url, request.getResponseHeader("content-type"));
      // After the listeners of this turn.
      setTimeout(() => resolve(log));
    }),
  );
}

async function xhr(
  method: string,
  path: string,
  change: (it: XMLHttpRequest) => void,
  body?: BodyInit,
): Promise<Log> {
  const log: Log = [];
  const request = new XMLHttpRequest();
  const done = logged(request, log, body !== undefined);
  request.open(method, path);
  change(request);
  request.send(body as XMLHttpRequestBodyInit);
  return done;
}

const errorOf = (work: () => unknown): string => {
  try {
    work();
    return "nothing";
  } catch (error) {
    return (error as Error).name;
  }
};

async function responseLog(input: string, init?: RequestInit): Promise<Log> {
  try {
    const response = await fetch(input, init);
    const { status, statusText, ok, type, redirected, bodyUsed } = response;
    const url =
      response.url === "" ? "" : new URL(response.url).pathname + new URL(response.url).search;
    const copy = type === "opaqueredirect" ? response : response.clone();
    const text = await copy.text();
    return [
      status,
      statusText,
      ok,
      type,
      redirected,
      url,
      bodyUsed,
      response.headers.get("content-type"),
      response.headers.get("x-a"),
      errorOf(() => response.headers.set("a", "b")),
      errorOf(() => new Response(null, { status }).status),
      text,
    ];
  } catch (error) {
    return [(error as Error).name];
  }
}

async function socketLog(path: string, act: (socket: WebSocket) => void): Promise<Log> {
  const log: Log = [];
  let socket: WebSocket;
  try {
    socket = new WebSocket(path);
  } catch (error) {
    return [(error as Error).name];
  }
  log.push(
    socket.readyState,
    socket.binaryType,
    socket.bufferedAmount,
    errorOf(() => socket.send("early")),
  );
  const end = new Promise<void>((resolve) => {
    for (const type of ["open", "message", "error", "close"])
      socket.addEventListener(type, (event) => {
        const { data, code, reason, wasClean } = event as MessageEvent & CloseEvent;
        log.push(type, socket.readyState);
        if (type === "message")
          log.push(typeof data === "string" ? data : (data as object).constructor.name);
        if (type === "close") log.push(code, reason, wasClean);
        if (type === "close") resolve();
      });
  });
  act(socket);
  await end;
  return log;
}

/** Until it fails for good, or so many events came. */
async function eventsLog(path: string, most = Infinity): Promise<Log> {
  const source = new EventSource(path);
  const log: Log = [source.readyState, new URL(source.url).pathname, source.withCredentials];
  let came = 0;
  await new Promise<void>((resolve) => {
    const note = (event: Event): void => {
      const { type, data, lastEventId } = event as MessageEvent<string>;
      log.push(type, source.readyState);
      if (data !== undefined) log.push(data, lastEventId);
      if (data !== undefined && ++came === most) source.close();
      if (source.readyState === source.CLOSED) resolve();
    };
    for (const type of ["open", "message", "even", "error"]) source.addEventListener(type, note);
  });
  log.push(source.readyState);
  return log;
}

export async function behaviour(): Promise<Record<string, Log>> {
  const nothing = (): void => {};
  return {
    "xhr GET": await xhr("GET", "/api/json", nothing),
    "xhr GET 404": await xhr("GET", "/api/nothing", nothing),
    "xhr HEAD": await xhr("HEAD", "/api/json", nothing),
    "xhr POST": await xhr("POST", "/api/echo", nothing, "text"),
    "xhr POST nothing": await xhr("POST", "/api/echo", nothing),
    "xhr POST bytes": await xhr("POST", "/api/echo", nothing, new Uint8Array([1, 2])),
    "xhr redirect": await xhr("GET", "/api/redirect?to=/api/json", nothing),
    "xhr stream": await xhr("GET", "/api/slow?count=3&ms=100", nothing),
    "xhr broken": await xhr("GET", "/api/broken", nothing),
    "xhr timeout": await xhr("GET", "/api/slow?head=3000", (it) => (it.timeout = 200)),
    "xhr abort": await xhr(
      "GET",
      "/api/slow?head=3000",
      (it) => void setTimeout(() => it.abort(), 200),
    ),
    "xhr abort in the body": await xhr("GET", "/api/slow?count=50", (it) =>
      it.addEventListener("progress", () => setTimeout(() => it.abort()), { once: true }),
    ),
    "xhr faults": [
      errorOf(() => new XMLHttpRequest().send()),
      errorOf(() => new XMLHttpRequest().setRequestHeader("a", "b")),
      errorOf(() => new XMLHttpRequest().open("TRACE", "/")),
      errorOf(() => new XMLHttpRequest().open("a b", "/")),
      errorOf(() => new XMLHttpRequest().open("GET", "http://[")),
    ],
    "fetch GET": await responseLog("/api/json"),
    "fetch HEAD": await responseLog("/api/json", { method: "HEAD" }),
    "fetch 204": await responseLog("/api/status?code=204"),
    "fetch 304": await responseLog("/api/status?code=304"),
    "fetch 500": await responseLog("/api/status?code=500&body=no"),
    "fetch 404": await responseLog("/api/nothing"),
    "fetch redirect": await responseLog("/api/redirect?to=/api/json%3Fx=1"),
    "fetch redirect, error": await responseLog("/api/redirect", { redirect: "error" }),
    "fetch redirect, manual": await responseLog("/api/redirect", { redirect: "manual" }),
    "fetch 303 after POST": await responseLog("/api/redirect?code=303&to=/api/echo", {
      method: "POST",
      body: "x",
    }),
    "fetch 307 after POST": await responseLog("/api/redirect?code=307&to=/api/echo", {
      method: "POST",
      body: "x",
    }),
    "fetch broken": await responseLog("/api/broken"),
    "fetch GET with body": await responseLog("/api/echo", { method: "GET", body: "x" }),
    "fetch TRACE": await responseLog("/api/echo", { method: "TRACE" }),
    "fetch aborted": await responseLog("/api/json", { signal: AbortSignal.abort() }),
    "fetch timeout": await responseLog("/api/slow?head=3000", { signal: AbortSignal.timeout(100) }),
    "fetch integrity": await responseLog("/api/json", { integrity: "sha256-AAAA" }),
    "socket echo": await socketLog("/api/chat", (socket) => {
      socket.onopen = () => {
        socket.send("one");
        socket.send(new Uint8Array([1]));
        socket.send("close me");
      };
    }),
    "socket close": await socketLog(
      "/api/chat",
      (socket) => (socket.onopen = () => socket.close(3001, "bye")),
    ),
    "socket close without a code": await socketLog(
      "/api/chat",
      (socket) => (socket.onopen = () => socket.close()),
    ),
    "socket close early": await socketLog("/api/chat", (socket) => socket.close()),
    "socket refused": await socketLog("/api/refuse", nothing),
    "socket fragment": await socketLog("/api/chat#x", nothing),
    "events over two connections": await eventsLog("/api/events?count=2&retry=50", 4),
    "events 204": await eventsLog("/api/status?code=204"),
    "events 500": await eventsLog("/api/status?code=500"),
    "events of another type": await eventsLog("/api/json"),
  };
}
