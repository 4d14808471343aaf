#include "src/js/sandbox/control.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <string>

namespace sallyport::js::sandbox {
namespace {

ForkRequest fork_of(std::string_view packet) {
  auto const request = read_control(packet);
  return request && std::holds_alternative<ForkRequest>(*request) ? std::get<ForkRequest>(*request)
                                                                  : ForkRequest{.id = -1};
}

TEST(Control, ReadsAForkAndItsLimits) {
  auto const request =
      fork_of(R"({"fork":5,"limits":{"heap_mb":10,"data_mb":20,"cpu_ms":30,"total_cpu_s":40}})");

  EXPECT_EQ(request.id, 5);
  EXPECT_EQ(request.refusal, "");
  EXPECT_EQ(request.limits.heap_mb, 10);
  EXPECT_EQ(request.limits.data_mb, 20);
  EXPECT_EQ(request.limits.cpu_ms, 30);
  EXPECT_EQ(request.limits.total_cpu_s, 40);
}

TEST(Control, HasLimitsWhereNoneAreGiven) {
  auto const request = fork_of(R"({"fork":5})");

  EXPECT_EQ(request.refusal, "");
  EXPECT_EQ(request.limits.heap_mb, Limits{}.heap_mb);
  EXPECT_GT(request.limits.cpu_ms, 0);
}

TEST(Control, RefusesLimitsThatAreNone) {
  for (auto const* const limits :
       {R"("heap_mb":0)", R"("heap_mb":-1)", R"("heap_mb":4097)", R"("heap_mb":1.5)",
        R"("heap_mb":"1")", R"("heap_mb":null)", R"("data_mb":0)", R"("cpu_ms":0)",
        R"("cpu_ms":99999999999)", R"("total_cpu_s":0)", R"("heap_mb":64,"data_mb":63)"}) {
    auto const request = fork_of(std::string{R"({"fork":5,"limits":{)"} + limits + "}}");

    EXPECT_EQ(request.id, 5) << limits;
    EXPECT_TRUE(request.refusal.starts_with("limits.")) << limits << ": " << request.refusal;
  }
}

TEST(Control, ReadsAKill) {
  auto const request = read_control(R"({"kill":-3})");

  ASSERT_TRUE(request && std::holds_alternative<KillRequest>(*request));
  EXPECT_EQ(std::get<KillRequest>(*request).id, -3);
}

TEST(Control, RefusesWhatIsNoOrder) {
  for (auto const* const packet : {"", "{}", "[]", "1", "{\"fork\":\"1\"}", "{\"kill\":1.5}",
                                   "{\"fork\":99999999999999999999}", "{\"fork\":1"}) {
    EXPECT_FALSE(read_control(packet)) << packet;
  }
}

TEST(Control, SaysHowAChildEnded) {
  EXPECT_EQ(ended_message(7, 3 << 8), R"({"ended":7,"exit":3})");
  EXPECT_EQ(ended_message(7, SIGKILL), R"({"ended":7,"signal":9})");
  EXPECT_EQ(failed_message(7, "a \"b\""), R"({"failed":7,"error":"a \"b\""})");
  EXPECT_EQ(refused_message("x"), R"({"refused":"x"})");
  EXPECT_EQ(ready_message(12, "net"), R"({"ready":true,"rss_kb":12,"namespaces":"net"})");
}

}  // namespace
}  // namespace sallyport::js::sandbox
