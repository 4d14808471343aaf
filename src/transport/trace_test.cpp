#include "src/transport/trace.hpp"

#include <gtest/gtest.h>

namespace sallyport::transport {
namespace {

std::string const kParent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
std::string const kOther = "00-11111111111111111111111111111111-2222222222222222-00";

TEST(Traceparent, IsAcceptedInTheFormOfTheStandardOnly) {
  struct Case {
    std::string text;
    bool valid;
  };
  for (auto const& [text, valid] : {
           Case{kParent, true},
           Case{"cc" + kParent.substr(2), true},  // a later version
           Case{"cc" + kParent.substr(2) + "-what-comes", true},
           Case{"cc" + kParent.substr(2) + "x", false},
           Case{kParent + "-more", false},  // version 00 has no more
           Case{"ff" + kParent.substr(2), false},
           Case{"", false},
           Case{kParent.substr(1), false},
           Case{"00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", false},
           Case{"00-00000000000000000000000000000000-b7ad6b7169203331-01", false},
           Case{"00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", false},
           Case{"00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", false},
           Case{"00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01", false},
           Case{"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-0x", false},
       }) {
    EXPECT_EQ(is_traceparent(text), valid) << text;
  }
}

TEST(Trace, PrefersTheHeadersOverTheMessage) {
  http::Headers const headers{{"traceparent", kParent}, {"tracestate", "a=1"}, {"baggage", "b=2"}};

  auto const trace = trace_of(headers, {.traceparent = kOther, .tracestate = "c=3"});

  EXPECT_EQ(trace.traceparent, kParent);
  EXPECT_EQ(trace.tracestate, "a=1");
  EXPECT_EQ(trace.baggage, "b=2");
}

TEST(Trace, FallsBackToTheMessage) {
  auto const trace = trace_of({{"traceparent", "nonsense"}},
                              {.traceparent = kOther, .tracestate = "c=3", .baggage = "d=4"});

  EXPECT_EQ(trace.traceparent, kOther);
  EXPECT_EQ(trace.tracestate, "c=3");
  EXPECT_EQ(trace.baggage, "d=4");
}

TEST(Trace, DropsAStateWithoutAParent) {
  auto const trace = trace_of({{"tracestate", "a=1"}}, {.traceparent = "x", .tracestate = "c=3"});

  EXPECT_EQ(trace.traceparent, "");
  EXPECT_EQ(trace.tracestate, "");
}

}  // namespace
}  // namespace sallyport::transport
