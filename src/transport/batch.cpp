#include "src/transport/batch.hpp"

#include <deque>
#include <string>
#include <utility>

namespace sallyport::transport {
namespace {

class Batch {
 public:
  Batch(mcp::Dispatcher& dispatcher, mcp::Outlet& whole) : dispatcher_{dispatcher}, whole_{whole} {}

  mcp::Outlet& add_part() {
    ++open_;
    return parts_.emplace_back(*this);
  }

  void add_answer(std::string const& body) {
    if (body.empty()) return;
    answers_ += answers_.empty() ? '[' : ',';
    answers_ += body;
  }

  // Until it is sealed, an answer that comes at once must not end the batch.
  void seal() {
    --open_;
    conclude();
  }

 private:
  class Part final : public mcp::Outlet {
   public:
    explicit Part(Batch& batch) : batch_{batch} {}
    // The peer is gone before its batch was answered.
    ~Part() override {
      if (!finished_) batch_.dispatcher_.abandon(*this, mcp::Dispatcher::PeerGone::Cancels);
    }
    Part(Part const&) = delete;
    Part& operator=(Part const&) = delete;

    void send(std::string message) override { batch_.whole_.send(std::move(message)); }
    void finish(mcp::Answer answer) override {
      finished_ = true;
      batch_.add_answer(answer.body);
      --batch_.open_;
      batch_.conclude();
    }
    bool can_send() const override { return batch_.whole_.can_send(); }
    std::size_t unsent_bytes() const override { return batch_.whole_.unsent_bytes(); }

   private:
    Batch& batch_;
    bool finished_{false};
  };

  void conclude() {
    if (open_ > 0) return;
    if (!answers_.empty()) answers_ += ']';
    whole_.finish({std::move(answers_)});
  }

  mcp::Dispatcher& dispatcher_;
  mcp::Outlet& whole_;
  std::deque<Part> parts_;
  std::size_t open_{1};
  std::string answers_;
};

struct StartOne {
  mcp::Dispatcher& dispatcher;
  std::shared_ptr<mcp::Session> const& session;
  RequestContext const& context;
  Batch& batch;

  void operator()(mcp::RequestMessage message) const {
    auto& part = batch.add_part();
    if (message.method == "initialize") {
      mcp::RpcError const error{mcp::code::kInvalidRequest, "'initialize' cannot be in a batch."};
      part.finish(mcp::error_answer(message.id, error, mcp::Revision::V2025_03_26));
      return;
    }
    dispatcher.handle(mcp::legacy_request(std::move(message), session, context), part);
  }
  void operator()(mcp::NotificationMessage const& message) const {
    dispatcher.handle_notification(message, session->id());
  }
  void operator()(mcp::ResponseMessage message) const {
    dispatcher.server().deliver_reply(session->id(), std::move(message));
  }
  void operator()(mcp::Malformed const& message) const {
    mcp::RpcError const error{mcp::code::kInvalidRequest, message.message};
    batch.add_answer(mcp::error_answer(message.id, error, mcp::Revision::V2025_03_26).body);
  }
};

}  // namespace

std::shared_ptr<void> start_batch(mcp::Dispatcher& dispatcher, mcp::LegacyBatch batch,
                                  std::shared_ptr<mcp::Session> const& session,
                                  RequestContext const& context, mcp::Outlet& outlet) {
  auto whole = std::make_shared<Batch>(dispatcher, outlet);
  for (auto& message : batch.messages) {
    std::visit(StartOne{dispatcher, session, context, *whole}, std::move(message));
  }
  whole->seal();
  return whole;
}

}  // namespace sallyport::transport
