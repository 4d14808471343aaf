#include "src/json/schema.hpp"

#include "src/json/schema/compiler.hpp"
#include "src/json/schema/evaluation.hpp"

#include <fmt/format.h>

namespace sallyport::json {

struct Schema::Compiled {
  Program program;
  std::size_t steps{0};
};

Result<Schema> Schema::compile(Value const& schema, SchemaLimits limits,
                               KnownSchemas const& known) {
  SP_TRY(auto program, Compiler(limits, known).compile(schema));
  return Schema{std::make_unique<Compiled const>(std::move(program), limits.steps)};
}

Schema::Schema(std::unique_ptr<Compiled const> compiled) : compiled_(std::move(compiled)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<void> Schema::validate(Value const& instance) const {
  Evaluation evaluation{compiled_->program, compiled_->steps};
  bool const passed = evaluation.passes(compiled_->program.root, {instance});
  if (evaluation.gave_up()) {
    return fail(
        Errc::LimitExceeded,
        "The value could not be checked against its schema within the limits of steps and depth.");
  }
  if (passed) return {};
  auto const& failure = evaluation.failure();
  if (!failure) return fail(Errc::InvalidInput, "(root): does not match the schema");
  return fail(Errc::InvalidInput, fmt::format("{}: {}", failure->path, failure->text));
}

}  // namespace sallyport::json
