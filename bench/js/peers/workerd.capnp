using Workerd = import "/workerd/workerd.capnp";

const loader :Workerd.Config = (
  services = [(name = "main", worker = .loading)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const fixed :Workerd.Config = (
  services = [(name = "main", worker = .constant)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")]
);
const loading :Workerd.Worker = (
  modules = [(name = "workerd.mjs", esModule = embed "workerd.mjs")],
  compatibilityDate = "2026-01-01",
  bindings = [(name = "LOADER", workerLoader = ())]
);
const constant :Workerd.Worker = (
  modules = [(name = "workerd_fixed.mjs", esModule = embed "workerd_fixed.mjs")],
  compatibilityDate = "2026-01-01"
);
