-- Sends one JSON-RPC request over and over, with ids that differ among the requests in flight:
--
--   wrk … -s post.lua URL -- BODY 'Name: value' …
--
-- `@ID@` in BODY becomes a number of six digits, so that all requests, and all answers, have the
-- same size. The requests are made before the load starts: picking one is all that is left to do.
-- The last line of the output is one for the program that called wrk.
local kRequestsPerThread = 1024

local threads = 0

function setup(thread)
  thread:set("first_id", 100000 + threads * kRequestsPerThread)
  threads = threads + 1
end

local requests = {}
local last = 0

function init(arguments)
  local headers = {}
  for i = 2, #arguments do
    local name, value = arguments[i]:match("^([^:]+): (.*)$")
    headers[name] = value
  end
  for i = 1, kRequestsPerThread do
    local body = arguments[1]:gsub("@ID@", tostring(first_id + i - 1))
    requests[i] = wrk.format("POST", nil, headers, body)
  end
end

function request()
  last = last % kRequestsPerThread + 1
  return requests[last]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    "measured requests=%d microseconds=%d bytes=%d p50=%d p99=%d errors=%d\n",
    summary.requests, summary.duration, summary.bytes,
    latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
