// Runs each script as a worker of its own, which the loader makes in this process.
let count = 0;

const moduleOf = (code) =>
  `export default { async fetch() { return Response.json({ value: (${code}) }); } };`;

export default {
  async fetch(request, env) {
    const { code } = await request.json();
    const worker = env.LOADER.get(`run-${++count}`, () => ({
      compatibilityDate: "2026-01-01",
      mainModule: "script.js",
      modules: { "script.js": moduleOf(code) },
      globalOutbound: null,
    }));
    return worker.getEntrypoint().fetch("http://script/");
  },
};
