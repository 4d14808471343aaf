// Port: takes records. AuditLog (audit_log.hpp) is the real one.
#pragma once

#include "src/audit/receipt.hpp"
#include "src/audit/record.hpp"
#include "src/base/task.hpp"

namespace sallyport::audit {

class Sink {
 public:
  virtual ~Sink() = default;

  // Before anything is sent: whether a record could be written now. Fails with LimitExceeded or
  // Internal when the log is full, locked or broken; the caller then refuses the call. Cheap, from
  // any thread.
  virtual Result<void> ready() const = 0;

  // Resumes on the caller's loop once the record is as durable as configured. Cannot be cancelled
  // half-way: a record that was begun is written.
  virtual Task<void> write(Record record) = 0;

  // The same, for who waits later: on `loop`, which is the caller's.
  virtual Receipt begin(Record record, Executor loop) = 0;

  // Hands a record over and waits for nothing: for who cannot wait, in a destructor. From any
  // thread, also when no loop runs any more. It is written like the others, whatever waits already:
  // so only for what has a bound elsewhere.
  virtual void post(Record record) = 0;
};

}  // namespace sallyport::audit
