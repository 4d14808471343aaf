// The bytes that arrived on a connection and are not used yet. Of fixed size: that bounds what a
// peer can make us keep.
#pragma once

#include <boost/asio/buffer.hpp>

#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace sallyport::net {

class ReadBuffer {
 public:
  // Not zeroed: pages that are never used cost nothing.
  explicit ReadBuffer(std::size_t capacity)
      : bytes_{std::make_unique_for_overwrite<char[]>(capacity)}, capacity_{capacity} {}

  std::string_view unread() const noexcept { return {bytes_.get() + begin_, end_ - begin_}; }
  bool empty() const noexcept { return begin_ == end_; }
  bool full() const noexcept { return end_ - begin_ == capacity_; }
  std::size_t capacity() const noexcept { return capacity_; }

  void consume(std::size_t count) noexcept {
    begin_ += count;
    if (begin_ == end_) begin_ = end_ = 0;
  }

  // All free space, made contiguous. Views of unread() end here.
  boost::asio::mutable_buffer prepare() noexcept {
    if (begin_ > 0) {
      std::memmove(bytes_.get(), bytes_.get() + begin_, end_ - begin_);
      end_ -= begin_;
      begin_ = 0;
    }
    return {bytes_.get() + end_, capacity_ - end_};
  }

  void commit(std::size_t count) noexcept { end_ += count; }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_;
  std::size_t begin_{0};
  std::size_t end_{0};
};

}  // namespace sallyport::net
