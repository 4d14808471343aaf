// Policies that would use up a machine, and what becomes of them here.
#pragma once

namespace sallyport::bench {

// Prints a line of JSON for each. False where one hung, crashed, grew beyond its limits, or
// outlived its deadline by more than a tenth.
bool run_probes();

}  // namespace sallyport::bench
