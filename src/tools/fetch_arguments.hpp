// The arguments of the `fetch` tool: what a caller may say, and the request that follows from it.
#pragma once

#include "src/json/value.hpp"
#include "src/pipeline/outbound.hpp"
#include "src/tools/fetch.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace sallyport::tools {

// Auto: Markdown of the main content of HTML, other text as it is.
enum class FetchFormat { Auto, Markdown, Text, Html, Raw };

struct FetchArguments {
  std::string url;
  std::string method{"GET"};
  http::Headers headers;  // complete
  std::string body;
  FetchFormat format{FetchFormat::Auto};
  std::size_t max_length{0};
  std::size_t start_index{0};
  std::chrono::milliseconds timeout{0};
};

json::Object fetch_input_schema(FetchOptions const& options);

// `arguments` satisfy the schema. Fails with InvalidInput when they do not fit each other.
Result<FetchArguments> read_fetch_arguments(json::Object const& arguments,
                                            FetchOptions const& options);

pipeline::OutboundRequest fetch_request(FetchArguments const& arguments,
                                        FetchOptions const& options);

}  // namespace sallyport::tools
