// What the suites do not look at: that whoever subscribed to a resource hears of its update through
// the gateway, in each era on both sides.
import { setTimeout as sleep } from 'node:timers/promises';

const kUri = 'test://watched-resource';
const kTrigger = { name: 'test_trigger_resource_update', arguments: {} };
const kPatienceMs = 10_000;
const kTryAgainMs = 300;

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** Calls `heard` with each message of an event stream, until it returns true. */
async function readEvents(response, heard) {
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of response.body) {
    text += decoder.decode(piece, { stream: true });
    const lines = text.split(/\r?\n/);
    text = lines.pop();
    const data = lines.filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trim());
    if (data.some((each) => each && heard(JSON.parse(each)))) return true;
  }
  return false;
}

const isUpdate = ({ method, params }) => method === 'notifications/resources/updated' && params.uri === kUri;

function modernClient(url) {
  let id = 0;
  return (method, params = {}, signal) => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'updates', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const headers = { ...json, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method };
    if (params.name) headers['mcp-name'] = params.name;
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta } });
    return fetch(url, { method: 'POST', headers, body, signal });
  };
}

async function legacyClient(url) {
  let id = 0;
  const headers = { ...json };
  const ask = (method, params = {}) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params });
    return fetch(url, { method: 'POST', headers, body });
  };
  const clientInfo = { name: 'updates', version: '1' };
  const opened = await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  headers['mcp-session-id'] = opened.headers.get('mcp-session-id');
  headers['mcp-protocol-version'] = '2025-11-25';
  const listen = (signal) => fetch(url, { headers: { ...headers, accept: 'text/event-stream' }, signal });
  return { ask, listen };
}

// Subscribing at the server takes a moment of its own, which nobody tells the client about.
async function triggerUntil(trigger, updated) {
  const deadline = Date.now() + kPatienceMs;
  while (Date.now() < deadline) {
    await (await trigger()).text();
    if (await Promise.race([updated, sleep(kTryAgainMs, false)])) return true;
  }
  return false;
}

async function hearsInModernEra(url) {
  const aborter = new AbortController();
  const ask = modernClient(url);
  const wanted = { notifications: { resourceSubscriptions: [kUri] } };
  const stream = await ask('subscriptions/listen', wanted, aborter.signal);
  const updated = readEvents(stream, isUpdate).catch(() => false);
  const heard = await triggerUntil(() => ask('tools/call', kTrigger), updated);
  aborter.abort();
  return heard;
}

async function hearsInLegacyEra(url) {
  const aborter = new AbortController();
  const { ask, listen } = await legacyClient(url);
  const updated = readEvents(await listen(aborter.signal), isUpdate).catch(() => false);
  await (await ask('resources/subscribe', { uri: kUri })).text();
  const heard = await triggerUntil(() => ask('tools/call', kTrigger), updated);
  aborter.abort();
  return heard;
}

/** As runSet() reports. */
export async function runUpdates({ name }, url) {
  const started = Date.now();
  const eras = { '2026-07-28': hearsInModernEra, '2025-11-25': hearsInLegacyEra };
  const failed = [];
  for (const [era, hears] of Object.entries(eras)) if (!(await hears(url))) failed.push(era);
  const passed = Object.keys(eras).length - failed.length;
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  const lines = [`${name} ${passed}/${Object.keys(eras).length}  ${seconds} s`];
  for (const era of failed) lines.push(`  FAILED a client of ${era} does not hear of the update`);
  return { lines, passed: failed.length === 0 };
}
