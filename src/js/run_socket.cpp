#include "src/js/run_socket.hpp"

#include "src/json/write.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <utility>

namespace sallyport::js {

RunSocket::RunSocket(Executor executor, Descriptor socket)
    : socket_{executor, asio::local::stream_protocol{}, socket.release()}, has_more_{executor} {}

Task<std::optional<Frame>> RunSocket::receive() {
  while (true) {
    if (auto frame = reader_.next()) co_return std::move(frame);
    if (reader_.broken()) {
      co_return fail(Errc::UpstreamFailed, "The sandbox sent something that is no frame.");
    }
    auto const [error, size] = co_await socket_.async_read_some(asio::buffer(received_), use_tuple);
    if (error == asio::error::operation_aborted) {
      co_return fail(Errc::Cancelled, "The request was cancelled.");
    }
    if (error) co_return std::optional<Frame>{};
    reader_.add({received_.data(), size});
  }
}

void RunSocket::send(FrameKind kind, std::uint32_t call, std::string_view payload) {
  append_frame(queued_, kind, call, payload);
  has_more_.raise();
}

void RunSocket::send(FrameKind kind, std::uint32_t call, json::Object const& payload) {
  send(kind, call, json::to_text(payload));
}

void RunSocket::send_credit(std::uint32_t call, std::size_t bytes) {
  send(FrameKind::Credit, call, credit_payload(static_cast<std::uint32_t>(bytes)));
}

Task<void> RunSocket::write_queued() {
  while (true) {
    if (queued_.empty()) {
      SP_CO_CHECK(co_await has_more_.wait());
      continue;
    }
    auto const batch = std::exchange(queued_, {});
    auto const [error, size] = co_await asio::async_write(socket_, asio::buffer(batch), use_tuple);
    if (error) co_return Result<void>{};  // receive() notices how it ended
  }
}

Descriptor RunSocket::release() {
  boost::system::error_code ignored;
  auto const descriptor = socket_.release(ignored);
  return Descriptor{ignored ? -1 : descriptor};
}

}  // namespace sallyport::js
