// JSON Schema 2020-12, compiled once and then only read.
//
// Bounded: a schema that is too large or nests too deeply is refused when it is compiled, a
// validation that takes too many steps fails. A `$ref` is never fetched: what the schema, the known
// documents and the 2020-12 meta-schema do not contain is refused.
//
// A `$schema` that names draft-07 or 2019-09 is read by that draft's rules as far as they concern
// validation; any other dialect is refused. `format` is an annotation and checks nothing.
#pragma once

#include "src/base/result.hpp"
#include "src/json/value.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace sallyport::json {

struct SchemaLimits {
  std::size_t subschemas{10'000};
  std::size_t depth{64};
  std::size_t steps{1'000'000};  // of one validation
};

// Documents that a `$ref` or `$schema` may name, by absolute URI without fragment.
using KnownSchemas = std::map<std::string, Value, std::less<>>;

class Schema {
 public:
  // Fails with InvalidInput; the message names the place in the schema. Keeps no reference to its
  // parameters.
  static Result<Schema> compile(Value const& schema, SchemaLimits limits = {},
                                KnownSchemas const& known = {});

  Schema(Schema&&) noexcept;
  Schema& operator=(Schema&&) noexcept;
  ~Schema();

  // Fails with InvalidInput; the message names the place in `instance` and what was expected, e.g.
  // "/limit: must be at most 100". Fails with LimitExceeded when it takes too many steps. From any
  // thread. `instance` may be nested as deeply as json::parse allows by default.
  Result<void> validate(Value const& instance) const;

 private:
  struct Compiled;
  explicit Schema(std::unique_ptr<Compiled const> compiled);

  std::unique_ptr<Compiled const> compiled_;
};

}  // namespace sallyport::json
