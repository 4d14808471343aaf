// A test that needs something this machine lacks. On a developer's machine it is skipped, loudly;
// in CI, where everything is installed, it fails: a skipped test must not pass for a green one.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

namespace sallyport::test {

inline bool runs_in_ci() {
  auto const* const ci = std::getenv("CI");  // NOLINT(concurrency-mt-unsafe)
  return ci != nullptr && !std::string_view{ci}.empty();
}

}  // namespace sallyport::test

// `how` says how to get what is missing.
#define SP_NOT_TESTED(how)                                                                    \
  do {                                                                                        \
    if (::sallyport::test::runs_in_ci()) GTEST_FAIL() << "cannot be tested in CI: " << (how); \
    GTEST_SKIP() << "\n\n*** NOT TESTED: " << (how) << " ***\n";                              \
  } while (false)
