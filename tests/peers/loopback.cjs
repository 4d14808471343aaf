// Preload: a server that does not say where it listens does so on 127.0.0.1, not on every address.
const net = require('node:net');

const isAnywhere = (host) => host === undefined || host === null || host === '::' || host === '0.0.0.0';
const listen = net.Server.prototype.listen;

net.Server.prototype.listen = function (first, ...rest) {
  if (typeof first === 'object' && first !== null && 'port' in first) {
    return listen.call(this, isAnywhere(first.host) ? { ...first, host: '127.0.0.1' } : first, ...rest);
  }
  if (/^\d+$/.test(String(first))) {
    const isHost = typeof rest[0] === 'string' || rest[0] === null || rest[0] === undefined;
    const host = isHost ? rest.shift() : undefined;
    return listen.call(this, Number(first), isAnywhere(host) ? '127.0.0.1' : host, ...rest);
  }
  return listen.call(this, first, ...rest);
};
