#include "src/transport/negotiation.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace sallyport::transport {
namespace {

TEST(Negotiation, ReadsWhatTheClientTakes) {
  struct Case {
    std::optional<std::string> accept;
    bool json;
    bool stream;
  };
  for (auto const& [accept, json, stream] : {
           Case{std::nullopt, true, true},
           Case{"application/json, text/event-stream", true, true},
           Case{"application/json,text/event-stream", true, true},
           Case{"application/json", true, false},
           Case{"text/event-stream", false, true},
           Case{"*/*", true, true},
           Case{"text/*", false, true},
           Case{"application/*;q=0.5", true, false},
           Case{"Application/JSON , TEXT/event-stream", true, true},
           Case{"application/json;q=1.0;x=y, text/event-stream;q=0", true, false},
           Case{"text/event-stream; q=0, */*", true, false},
           Case{"*/*;q=0, application/json", true, false},
           Case{"text/html", false, false},
           Case{"application/jsonp", false, false},
           Case{"", false, false},
       }) {
    http::Headers headers;
    if (accept) headers.add("accept", *accept);

    auto const accepted = accepted_types(headers);

    EXPECT_EQ(accepted.json, json) << accept.value_or("none");
    EXPECT_EQ(accepted.stream, stream) << accept.value_or("none");
  }
}

TEST(Negotiation, TakesSeveralAcceptFieldsTogether) {
  http::Headers const headers{{"Accept", "application/json"}, {"Accept", "text/event-stream"}};

  auto const accepted = accepted_types(headers);

  EXPECT_TRUE(accepted.json && accepted.stream);
}

TEST(Negotiation, KnowsAJsonBody) {
  for (std::string const type : {"application/json", "APPLICATION/JSON",
                                 "application/json; charset=utf-8", "application/json ;a=b"}) {
    EXPECT_TRUE(has_json_body({{"Content-Type", type}})) << type;
  }
  for (std::string const type : {"", "text/plain", "application/jsonp", "application/x-json",
                                 "text/plain; application/json"}) {
    EXPECT_FALSE(has_json_body({{"Content-Type", type}})) << type;
  }
  EXPECT_FALSE(has_json_body({}));
}

}  // namespace
}  // namespace sallyport::transport
