#include "src/tools/streams/push_pieces.hpp"

#include "src/tools/streams/stream_arguments.hpp"

#include <utility>

namespace sallyport::tools {
namespace {

Task<stream::Stream::Pushed> push(SharedParts parts, RequestContext const& request,
                                  json::Object const& arguments, std::string_view handle,
                                  ReadPieces read) {
  SP_CO_TRY(auto const key, view_key(request, arguments));
  SP_CO_TRY(auto const stream, parts->views.find(key, string_argument(arguments, handle)));
  SP_CO_TRY(auto const seq, number_argument(arguments, "seq"));
  SP_CO_TRY(auto pieces, read(arguments));
  co_return co_await stream->push(seq, std::move(pieces), {});
}

}  // namespace

Error push_too_large() {
  return fail(Errc::LimitExceeded, "A push may bring at most 1 MiB.");
}

Task<mcp::ToolResult> push_pieces(SharedParts parts, mcp::CallContext& context,
                                  json::Object const& arguments, std::string_view handle,
                                  ReadPieces read) {
  auto const pushed = co_await push(std::move(parts), context.request(), arguments, handle, read);
  if (!pushed) co_return failure_result(pushed.error());
  co_return facts_result({{"ack", pushed->ack}, {"credit", pushed->credit}});
}

}  // namespace sallyport::tools
