// @sallyport/fetch/host: what a page that shows apps may use.
export { kHttpKey } from "./calls/discovery.ts";
export { type Envelope, envelopeOf, isAppMessage, Mux, type MuxEnds } from "./mux/mux.ts";
export { serveToolPort } from "./mux/serve-port.ts";
