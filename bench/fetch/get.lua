-- A plain GET over and over; the last line of the output is one for the program that called wrk.
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    "measured requests=%d microseconds=%d bytes=%d p50=%d p99=%d errors=%d\n",
    summary.requests, summary.duration, summary.bytes,
    latency:percentile(50), latency:percentile(99),
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
