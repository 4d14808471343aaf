// The clients that every test is run with: both generations of the TypeScript SDK, both eras.
import * as sdk1 from '../../clients/support/sdk1.mjs';
import * as sdk2 from '../../clients/support/sdk2.mjs';

export const clients = [
  { title: 'SDK 1', era: 'legacy', connect: (url) => sdk1.overHttp(url) },
  { title: 'SDK 2, legacy', era: 'legacy', connect: (url) => sdk2.overHttp(url, 'legacy') },
  { title: 'SDK 2, 2026-07-28', era: 'modern', connect: (url) => sdk2.overHttp(url, sdk2.modern) },
];
export const modernClient = clients[2];

const kLogLevel = 'io.modelcontextprotocol/logLevel';

/** Calls a tool so that its log messages down to `level` come back. */
export async function callWithLogs(session, { era }, level, name, args = {}) {
  if (era === 'modern') return session.call(name, args, { meta: { [kLogLevel]: level } });
  await session.client.setLoggingLevel(level);
  return session.call(name, args);
}

/** Hears of changes of the tools; gives a function that says how often they changed. */
export async function hearChanges(session, { era }) {
  if (era === 'modern') await session.client.listen({ toolsListChanged: true });
  return () => session.notificationsOf('notifications/tools/list_changed').length;
}
