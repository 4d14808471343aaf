// HTTP headers that repeat parts of the body, so that intermediaries can route without parsing it
// (2026-07-28). A server must refuse a request whose headers and body disagree: whoever judged the
// headers would otherwise have judged another request.
#pragma once

#include "src/base/result.hpp"
#include "src/json/value.hpp"
#include "src/mcp/rpc.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::mcp {

// Access to the headers of a request, names in any case; transport/ implements it. Values have no
// outer whitespace.
class HeaderSource {
 public:
  virtual ~HeaderSource() = default;

  // nullptr when the header is absent.
  virtual std::string const* find(std::string_view name) const = 0;
};

// A tool argument that is mirrored into `Mcp-Param-<header>`: the chain of property names to it.
struct MirroredParameter {
  std::string header;  // with the prefix
  std::vector<std::string> path;
};

// The mirrored parameters of an input schema. Fails with InvalidInput when an `x-mcp-header` breaks
// the rules (empty, not a token, twice, on a type that cannot be mirrored).
Result<std::vector<MirroredParameter>> mirrored_parameters(json::Object const& input_schema);

// Undoes `=?base64?...?=`. nullopt when it says base64 but is not, strictly. Anything else is
// literal.
std::optional<std::string> decode_header_value(std::string_view value);

// What decode_header_value() makes the same text of: literal where that is safe.
std::string encode_header_value(std::string_view value);

RpcError header_mismatch(std::string message);

// Which header must equal which member of the parameters: `name`, `uri`, `taskId` or none.
std::string_view mirrored_name_member(std::string_view method);

// Mcp-Name against the body. nullopt: they agree.
std::optional<RpcError> check_name_header(HeaderSource const& headers, std::string_view method,
                                          json::Object const& params);

// The headers of a call: arguments that are there and not null.
std::vector<std::pair<std::string, std::string>> parameter_headers(
    std::vector<MirroredParameter> const& mirrored, json::Object const& arguments);

// Mcp-Param-* against the arguments of a tool call.
std::optional<RpcError> check_parameter_headers(HeaderSource const& headers,
                                                std::vector<MirroredParameter> const& mirrored,
                                                json::Object const& arguments);

}  // namespace sallyport::mcp
