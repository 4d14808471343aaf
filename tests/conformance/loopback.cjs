// The suites' own servers listen on all interfaces. Loaded before a suite, this keeps them on
// loopback. `listen()` itself must stay synchronous, for the suites read the port right after it.
const net = require('node:net');

const listen = net.Server.prototype._listen2;
net.Server.prototype._listen2 = function (address, port, addressType, ...rest) {
  const onAll = !address && typeof port === 'number' && port >= 0;
  return onAll
    ? listen.call(this, '127.0.0.1', port, 4, ...rest)
    : listen.call(this, address, port, addressType, ...rest);
};
