// The text of a PDF, by poppler's pdftotext where that is installed.
#pragma once

#include "src/base/task.hpp"

#include <cstddef>
#include <string>

namespace sallyport::content {

// Whether pdftotext is there. Looks once.
bool can_read_pdf();

// Runs pdftotext in a child process with limits on time, memory and output: a hostile file costs
// that child. Fails with UpstreamFailed when it is no PDF that can be read, with LimitExceeded,
// DeadlineExceeded or Cancelled.
Task<std::string> pdf_text(std::string pdf, std::size_t max_output, Deadline deadline);

}  // namespace sallyport::content
