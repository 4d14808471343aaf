#include "src/js/sandbox/limits.hpp"

#include <unistd.h>

namespace sallyport::js::sandbox {

void end_process(ExitCode code) noexcept {
  // Neither destructors nor what was registered with atexit: they belong to the parent.
  ::_exit(static_cast<int>(code));
}

}  // namespace sallyport::js::sandbox
