#include "src/rego/builtins/tables.hpp"
#include "src/rego/crypto/digest.hpp"

#include <array>

namespace sallyport::rego::builtins {
namespace {

using crypto::Hash;

template <Hash kHash>
Value hash_of(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  auto const digest = crypto::digest(kHash, operands[0].as_string());
  return Value::string(call.arena.copy(crypto::to_hex(digest)));
}

template <Hash kHash>
Value hmac_of(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  if (!operands[1].is(Kind::String)) return call.wrong_type(2, "string", operands[1]);
  auto const digest = crypto::hmac(kHash, operands[1].as_string(), operands[0].as_string());
  return Value::string(call.arena.copy(crypto::to_hex(digest)));
}

Value hmac_equal(BuiltinCall& call, Operands operands) {
  if (!operands[0].is(Kind::String)) return call.wrong_type(1, "string", operands[0]);
  if (!operands[1].is(Kind::String)) return call.wrong_type(2, "string", operands[1]);
  return Value::boolean(
      crypto::equal_in_constant_time(operands[0].as_string(), operands[1].as_string()));
}

constexpr std::array kTable{
    Builtin{"crypto.hmac.equal", "string, string -> boolean", hmac_equal},
    Builtin{"crypto.hmac.md5", "string, string -> string", hmac_of<Hash::Md5>},
    Builtin{"crypto.hmac.sha1", "string, string -> string", hmac_of<Hash::Sha1>},
    Builtin{"crypto.hmac.sha256", "string, string -> string", hmac_of<Hash::Sha256>},
    Builtin{"crypto.hmac.sha512", "string, string -> string", hmac_of<Hash::Sha512>},
    Builtin{"crypto.md5", "string -> string", hash_of<Hash::Md5>},
    Builtin{"crypto.sha1", "string -> string", hash_of<Hash::Sha1>},
    Builtin{"crypto.sha256", "string -> string", hash_of<Hash::Sha256>},
};

}  // namespace

BuiltinTable crypto() {
  return kTable;
}

}  // namespace sallyport::rego::builtins
