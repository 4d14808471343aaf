// JSON Schema 2020-12, compiled once and then only read.
//
// Bounded: a schema that is too large or nests too deeply is refused when it is compiled, a
// validation that takes too many steps fails. A `$ref` is never fetched: what the schema (or the
// 2020-12 meta-schema) does not contain is refused.
#pragma once

#include "src/base/result.hpp"
#include "src/json/value.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace sallyport::json {

struct SchemaLimits {
  std::size_t subschemas{10'000};
  std::size_t depth{64};
  std::size_t steps{1'000'000};  // of one validation
};

class Schema {
 public:
  // Fails with InvalidInput; the message names the place in the schema.
  static Result<Schema> compile(Value const& schema, SchemaLimits limits = {});

  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  // Fails with InvalidInput; the message names the place in `instance` and what was expected, e.g.
  // "/limit: must be at most 100". From any thread.
  Result<void> validate(Value const& instance) const;

 private:
  struct Compiled;
  explicit Schema(std::unique_ptr<Compiled const> compiled);

  std::unique_ptr<Compiled const> compiled_;
};

}  // namespace sallyport::json
