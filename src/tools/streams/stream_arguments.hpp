// What the tools of streams have in common: who asks, numbers of frames, handles, results.
#pragma once

#include "src/base/request_context.hpp"
#include "src/json/value.hpp"
#include "src/mcp/tool.hpp"
#include "src/stream/views.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sallyport::tools {

// Fails with InvalidInput where the view is not named as it should be.
Result<stream::ViewKey> view_key(RequestContext const& request, json::Object const& arguments);

// Whole numbers from 0 on, however JSON wrote them. Fails with InvalidInput.
Result<std::uint64_t> whole_number(json::Value const& value, std::string_view name);
Result<std::uint64_t> number_argument(json::Object const& arguments, std::string_view name,
                                      std::optional<std::uint64_t> otherwise = {});
// {handle: number}.
Result<stream::PullRequest::Numbers> numbers_argument(json::Object const& arguments,
                                                      std::string_view name);
std::string string_argument(json::Object const& arguments, std::string_view name);
bool flag_argument(json::Object const& arguments, std::string_view name);
// The bytes of `b64`, or of `text`; nothing where there is neither. Fails with InvalidInput.
struct Payload {
  bool text{false};
  std::string bytes;
};
Result<std::optional<Payload>> payload_argument(json::Object const& arguments);

// A description of a stream in a result; `credit` where it takes pushes.
json::Object stream_object(stream::Stream const& stream, bool takes_pushes = false);
// Without a text for models, who see none of these tools.
mcp::ToolResult facts_result(json::Object facts);
// A failure as `http_request` tells it, unless it is no fault of the call.
Result<mcp::ToolResult> failure_result(Error const& error);

// With what every one of them has: for apps only, a schema of `properties` (JSON text) besides
// `view`.
mcp::Tool stream_tool(std::string_view name, std::string_view title, std::string_view description,
                      std::string_view properties, std::vector<std::string> const& required = {});

}  // namespace sallyport::tools
