#include "src/js/sandbox/web_apis_text.hpp"

// The compiler defines WEB_APIS_FILE; #embed is not in C++20.
// NOLINTNEXTLINE(hicpp-no-assembler)
asm(".section .rodata\n"
    ".global sallyport_web_apis_begin\n"
    "sallyport_web_apis_begin:\n"
    ".incbin \"" WEB_APIS_FILE
    "\"\n"
    ".global sallyport_web_apis_end\n"
    "sallyport_web_apis_end:\n"
    ".previous\n");

extern "C" char const sallyport_web_apis_begin[];
extern "C" char const sallyport_web_apis_end[];

namespace sallyport::js::sandbox {

std::string_view web_apis_text() noexcept {
  return {sallyport_web_apis_begin,
          static_cast<std::size_t>(sallyport_web_apis_end - sallyport_web_apis_begin)};
}

}  // namespace sallyport::js::sandbox
