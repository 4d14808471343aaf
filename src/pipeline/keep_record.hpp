// The last step of every call: its record. Private to this module.
#pragma once

#include "src/audit/sink.hpp"

namespace sallyport::pipeline {

// Nothing is waited for where the call has another record, for which its outcome waits
// (RequestContext::is_recorded). How many wait to be written has its bound in Sink::ready().
enum class Keeping { Waits, WaitsElsewhere };

// Called with cancellation disabled; notices it, and enables it again. Fails with what the log
// fails with, or with Cancelled; the record is kept then.
Task<void> keep_record(audit::Sink& sink, audit::Record record, Keeping how = Keeping::Waits);

}  // namespace sallyport::pipeline
