// The last step of every call: its record. Private to this module.
#pragma once

#include "src/audit/sink.hpp"

namespace sallyport::pipeline {

// Called with cancellation disabled; notices it, and enables it again. Fails with what the log
// fails with, or with Cancelled; the record is kept then.
Task<void> keep_record(audit::Sink& sink, audit::Record record);

}  // namespace sallyport::pipeline
