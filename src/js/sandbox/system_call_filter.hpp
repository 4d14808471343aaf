// SECURITY: which system calls a child may still make. All others end it.
#pragma once

namespace sallyport::js::sandbox {

// For good, for the calling process, which must have set PR_SET_NO_NEW_PRIVS. False: not installed.
bool install_system_call_filter() noexcept;

}  // namespace sallyport::js::sandbox
