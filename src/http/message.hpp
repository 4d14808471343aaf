// HTTP as values: what a server receives and what it answers. No sockets here.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sallyport::http {

// ASCII case-insensitive, as header names are.
bool equals_ignoring_case(std::string_view left, std::string_view right) noexcept;

// Header fields in the order in which they came, values with outer whitespace removed.
class Headers {
 public:
  struct Field {
    std::string name;
    std::string value;
  };

  Headers() = default;
  Headers(std::initializer_list<Field> fields) : fields_{fields}, size_{fields_.size()} {}
  Headers(Headers const&) = default;
  Headers& operator=(Headers const&) = default;
  Headers(Headers&& other) noexcept
      : fields_{std::move(other.fields_)}, size_{std::exchange(other.size_, 0)} {}
  Headers& operator=(Headers&& other) noexcept {
    fields_ = std::move(other.fields_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }
  ~Headers() = default;

  void add(std::string name, std::string value) {
    auto& field = next();
    field.name = std::move(name);
    field.value = std::move(value);
  }

  // The same into memory that clear() kept: a server fills one object again and again.
  void add_copy(std::string_view name, std::string_view value) {
    auto& field = next();
    field.name.assign(name);
    field.value.assign(value);
  }

  // Takes out every field of that name.
  void erase(std::string_view name);
  // The only field of that name from now on.
  void set(std::string name, std::string value) {
    erase(name);
    add(std::move(name), std::move(value));
  }

  // The first value of that name; nullptr when there is none.
  std::string const* find(std::string_view name) const noexcept;
  std::size_t count(std::string_view name) const noexcept;

  auto begin() const noexcept { return fields_.begin(); }
  auto end() const noexcept { return fields_.begin() + static_cast<std::ptrdiff_t>(size_); }
  std::size_t size() const noexcept { return size_; }
  void clear() noexcept { size_ = 0; }

 private:
  Field& next() {
    if (size_ == fields_.size()) fields_.emplace_back();
    return fields_[size_++];
  }

  std::vector<Field> fields_;  // those from size_ on are spare
  std::size_t size_{0};
};

// One request as a server received it, body included.
struct ServerRequest {
  std::string method;
  std::string path;   // as sent, without the query; not decoded
  std::string query;  // without '?'; empty when there is none
  Headers headers;
  std::string body;
  std::string peer_address;  // of the socket, e.g. "127.0.0.1"
  std::string request_id;    // minted by the server, for logs and answers
  bool secure{false};        // came over TLS
};

struct Response {
  int status{200};
  std::string content_type;  // empty: no Content-Type field
  Headers headers;           // besides Content-Type, Content-Length, Date and Connection
  std::string body;
};

// The value of `name` in a query string or form body, percent-decoded; empty when absent.
std::string query_value(std::string_view query, std::string_view name);

std::string_view reason_phrase(int status) noexcept;

}  // namespace sallyport::http
