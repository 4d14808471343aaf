#include "src/base/metrics.hpp"

#include <gmock/gmock.h>

namespace sallyport {
namespace {

using testing::HasSubstr;

TEST(Metrics, RendersSeriesOfOneNameUnderOneHeader) {
  Metrics metrics;
  metrics.counter("hits_total", "Hits.", R"(code="200")").add(2);
  metrics.counter("other_total", "Others.").add();
  metrics.counter("hits_total", "Hits.", R"(code="500")").add();

  EXPECT_EQ(metrics.render(),
            "# HELP hits_total Hits.\n# TYPE hits_total counter\n"
            "hits_total{code=\"200\"} 2\nhits_total{code=\"500\"} 1\n"
            "# HELP other_total Others.\n# TYPE other_total counter\nother_total 1\n");
}

TEST(Metrics, AGaugeGoesUpAndDown) {
  Metrics metrics;
  auto& gauge = metrics.gauge("open", "Open.");
  gauge.add(3);
  gauge.add(-1);

  EXPECT_THAT(metrics.render(), HasSubstr("open 2\n"));
}

TEST(Metrics, HistogramBucketsAreCumulative) {
  Metrics metrics;
  auto& histogram = metrics.histogram("seconds", "Time.", R"(tool="a")");
  histogram.observe(0.0005);
  histogram.observe(0.7);
  histogram.observe(1000);

  auto const text = metrics.render();

  EXPECT_THAT(text, HasSubstr(R"(seconds_bucket{tool="a",le="0.0001"} 0)"));
  EXPECT_THAT(text, HasSubstr(R"(seconds_bucket{tool="a",le="0.0005"} 1)"));
  EXPECT_THAT(text, HasSubstr(R"(seconds_bucket{tool="a",le="1"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(seconds_bucket{tool="a",le="+Inf"} 3)"));
  EXPECT_THAT(text, HasSubstr(R"(seconds_count{tool="a"} 3)"));
}

}  // namespace
}  // namespace sallyport
