#include "src/policy/explanation.hpp"

namespace sallyport::policy {
namespace {

constexpr std::size_t kMostReasons = 20;

}  // namespace

void add_texts(rego::Value value, std::vector<std::string>& reasons) {
  if (reasons.size() >= kMostReasons) return;
  if (value.is(rego::Kind::String)) {
    reasons.emplace_back(value.as_string());
  } else if (value.is(rego::Kind::Array) || value.is(rego::Kind::Set)) {
    for (auto const item : value.items()) add_texts(item, reasons);
  }
}

bool says_no(rego::Value deny) {
  if (deny.is(rego::Kind::Array) || deny.is(rego::Kind::Set)) return deny.size() > 0;
  return deny.is_true() || deny.is(rego::Kind::String);
}

}  // namespace sallyport::policy
