// Port: takes records. AuditLog (audit_log.hpp) is the real one.
#pragma once

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
};

}  // namespace sallyport::audit
