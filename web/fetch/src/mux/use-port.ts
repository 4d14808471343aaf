// A host that offers a port is asked for one; until it comes, and where none comes, calls go through
// the app.
import type { Connection } from "../calls/connection.ts";
import { kHttpKey } from "../calls/discovery.ts";
import { Mux } from "./mux.ts";
import { PortCaller } from "./port-caller.ts";

export function usePort(connection: Connection): void {
  if (typeof window === "undefined" || window.parent === window) return;
  connection.connected.then(
    () => {
      if (!connection.facts.port) return;
      const mux = new Mux({ here: window, there: window.parent });
      mux.on(kHttpKey, ({ type }, [port]) => {
        if (type !== "port" || port === undefined) return;
        connection.gateway.reroute(new PortCaller(port));
        mux.close();
      });
      mux.send(kHttpKey, "port-request", { view: connection.streams.view });
    },
    () => {},
  );
}
