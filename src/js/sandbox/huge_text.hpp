#pragma once

namespace sallyport::js::sandbox {

// Moves the code of the engine into huge pages, where the kernel has them: a fork copies their few
// entries, and a child does not have to fault in what it runs, piece by piece. Else nothing
// changes.
void use_huge_pages_for_the_engine() noexcept;

}  // namespace sallyport::js::sandbox
