// When the run began. performance.now() and the time stamps of events count from here.
import { now } from "../base/host.js";
import { dateNow } from "../base/intrinsics.js";

let origin = now();
let wallOrigin = dateNow();

export function startClock(): void {
  origin = now();
  wallOrigin = dateNow();
}
export const originTime = (): number => origin;
export const wallOriginTime = (): number => wallOrigin;
