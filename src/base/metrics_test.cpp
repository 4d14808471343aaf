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

// Else the second would be a series that stands there twice, and the reader refuses all of them.
TEST(Metrics, TheSameNameAndLabelsAreTheSameMetric) {
  Metrics metrics;
  metrics.counter("hits_total", "Hits.", R"(rule="a")").add(2);
  metrics.counter("hits_total", "Hits.", R"(rule="a")").add(3);
  metrics.gauge("open", "Open.").add(1);
  metrics.gauge("open", "Open.").add(1);

  EXPECT_EQ(metrics.render(),
            "# HELP hits_total Hits.\n# TYPE hits_total counter\nhits_total{rule=\"a\"} 5\n"
            "# HELP open Open.\n# TYPE open gauge\nopen 2\n");
}

TEST(Metrics, AValueOfALabelCannotEndItsLine) {
  EXPECT_EQ(metric_label("rule", "shop"), R"(rule="shop")");
  EXPECT_EQ(metric_label("rule", "a\"} 1\nevil{x=\"\\"), R"(rule="a\"} 1\nevil{x=\"\\")");
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
