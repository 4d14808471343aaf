// The record of a call as far as its passage tells: the part that all records share.
//
// Private to this module.
#pragma once

#include "src/audit/mask.hpp"
#include "src/audit/record.hpp"
#include "src/pipeline/outbound.hpp"

namespace sallyport::pipeline {

// Whether it is for a message to an MCP server: one of many, each with an answer that is read to
// its end before anybody hears of it.
bool is_message(Passage const& passage) noexcept;

// Who asks, and for what; the verdict and the hops are still to come.
audit::Record passage_record(Passage const& passage);

// All of it: nothing more happens to such a call.
audit::Record unsent_record(Passage const& passage, UnsentCall const& call,
                            audit::MaskRule const& mask);

}  // namespace sallyport::pipeline
